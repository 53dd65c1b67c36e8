//! Writes pictures as PNG.

use super::canvas::Workspace;
use super::deflate::compress;
use super::dimensions::SIDE;
use super::prepared_theme::PreparedTheme;
use crate::scene::Orientation;
use image::RgbaImage;
use png::{BitDepth, ColorType, Encoder, EncodingError, chunk};

/// How many bytes a picture has besides its compressed rows: palette, opacities, and the frames of the chunks.
const BESIDES: usize = 1200;

/// Writes the canvas of a workspace in the colours of a theme.
pub(super) fn indexed_png(
    theme: &PreparedTheme,
    orientation: Orientation,
    workspace: &mut Workspace,
) -> Result<Vec<u8>, EncodingError> {
    let Workspace { canvas, finder, compressed } = workspace;
    compressed.clear();
    compress(canvas.bytes(), theme.frame(orientation), theme.codes(), finder, compressed);
    let mut bytes = Vec::with_capacity(compressed.len() + BESIDES);
    let mut encoder = Encoder::new(&mut bytes, SIDE, SIDE);
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

/// Writes a picture in full colour, as PNG is written if one asks for nothing.
pub(super) fn plain_picture(image: &RgbaImage) -> Result<Vec<u8>, EncodingError> {
    let mut bytes = Vec::new();
    let mut encoder = Encoder::new(&mut bytes, image.width(), image.height());
    encoder.set_color(ColorType::Rgba);
    encoder.set_depth(BitDepth::Eight);
    encoder.write_header()?.write_image_data(image.as_raw())?;
    Ok(bytes)
}
