//! How the bot keeps its memory small.

/// Tells the C library to give memory back.
///
/// glibc takes the largest block that was ever freed for a sign of what is to come, and then keeps twice as much for each
/// of its heaps, of which it makes one for nearly every thread. A theme is painted in blocks of two megabytes, once; after
/// that the bot would keep 15 to 30 MB for nothing.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[expect(
    unsafe_code,
    reason = "the C library has no other door, and the environment is read before the program begins"
)]
pub(super) fn keep_small() {
    /// Blocks of this size are taken from the system and given back at once: a canvas, but not a finished picture.
    const LARGE: libc::c_int = 256 * 1024;
    /// As many as there are threads that do not wait for the disk.
    const HEAPS: libc::c_int = 2;
    // SAFETY: it takes two numbers, keeps them and touches nothing else. A number that it does not like changes nothing.
    unsafe {
        libc::mallopt(libc::M_MMAP_THRESHOLD, LARGE);
        libc::mallopt(libc::M_ARENA_MAX, HEAPS);
    }
}

/// Other C libraries do this by themselves.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub(super) fn keep_small() {}
