//! Measures how long a picture takes and how large it is: prepared, in full colour from scratch, and the first one.

mod workloads;

use criterion::{Criterion, criterion_group, criterion_main};
use ratatosk::board_view::Theme;
use ratatosk::render::Renderer;
use std::hint::black_box;
use workloads::render::great_board;

#[expect(clippy::expect_used, reason = "a bench may stop when its premises fail")]
fn pictures(criterion: &mut Criterion) {
    let renderer = Renderer::new();
    let mut group = criterion.benchmark_group("render/11x11");
    for theme in Theme::ALL {
        let view = great_board(theme);
        let size = renderer.png(&view).expect("it can be written").len();
        eprintln!("{}: {size} bytes", theme.id());
        group.bench_function(theme.id(), |bencher| bencher.iter(|| renderer.png(black_box(&view))));
    }
    let view = great_board(Theme::Oak);
    let size = renderer.full_colour_png(&view).expect("it can be written").len();
    eprintln!("in full colour: {size} bytes");
    group.sample_size(10);
    group.bench_function("oak, in full colour from scratch", |bencher| {
        bencher.iter(|| renderer.full_colour_png(black_box(&view)));
    });
    group.bench_function("oak, first picture of a renderer", |bencher| {
        bencher.iter(|| Renderer::new().png(black_box(&view)));
    });
    group.finish();
}

criterion_group!(benches, pictures);
criterion_main!(benches);
