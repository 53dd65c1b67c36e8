//! Writes PNG files.

use super::canvas::Workspace;
use super::deflate::compress;
use super::dimensions::PICTURE_SIZE;
use super::prepared_theme::PreparedTheme;
use crate::board_view::Orientation;
use image::RgbaImage;
use png::{BitDepth, ColorType, Encoder, EncodingError, chunk};

/// An upper bound for the bytes besides the compressed rows: the palette, opacities, and chunk headers.
const OVERHEAD: usize = 1200;

/// Returns the picture on the canvas of a workspace, in the colours of a theme.
///
/// The rows are compressed by our own deflate, because png's encoder takes longer and compresses less.
pub(super) fn indexed_png(
    theme: &PreparedTheme,
    orientation: Orientation,
    workspace: &mut Workspace,
) -> Result<Vec<u8>, EncodingError> {
    let Workspace { canvas, finder, compressed } = workspace;
    compressed.clear();
    compress(canvas.bytes(), theme.frame(orientation), theme.codes(), finder, compressed);
    let mut bytes = Vec::with_capacity(compressed.len() + OVERHEAD);
    let mut encoder = Encoder::new(&mut bytes, PICTURE_SIZE, PICTURE_SIZE);
    encoder.set_color(ColorType::Indexed);
    encoder.set_depth(BitDepth::Eight);
    let colours = theme.palette().colours();
    encoder.set_palette(colours.iter().flat_map(|colour| [colour[0], colour[1], colour[2]]).collect::<Vec<u8>>());
    encoder.set_trns(colours.iter().map(|colour| colour[3]).collect::<Vec<u8>>());
    let mut writer = encoder.write_header()?;
    writer.write_chunk(chunk::IDAT, compressed)?;
    writer.finish()?;
    Ok(bytes)
}

/// Returns a picture in full colour, with the default settings of the encoder.
pub(super) fn full_colour_png(image: &RgbaImage) -> Result<Vec<u8>, EncodingError> {
    let mut bytes = Vec::new();
    let mut encoder = Encoder::new(&mut bytes, image.width(), image.height());
    encoder.set_color(ColorType::Rgba);
    encoder.set_depth(BitDepth::Eight);
    encoder.write_header()?.write_image_data(image.as_raw())?;
    Ok(bytes)
}
