//! Tunes the C library's allocator, so that the bot needs little memory.

/// Makes glibc return large blocks to the system at once, and limits the number of its heaps.
///
/// By default glibc raises its threshold to the largest block that was ever freed, keeps twice as much free memory in
/// each heap, and makes a heap for nearly every thread. A theme is painted once, in blocks of two megabytes; after that
/// the bot would hold 15 to 30 MB that it never uses.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[expect(unsafe_code, reason = "there is no safe interface, and the environment variables are read before main")]
pub(super) fn limit_heap() {
    /// Blocks from this size on are mapped and unmapped one by one: a canvas, but not a finished picture.
    const LARGE: libc::c_int = 256 * 1024;
    /// One for each thread that does not wait for the disk.
    const HEAPS: libc::c_int = 2;
    // SAFETY: mallopt only stores the two numbers, and ignores values that it does not accept.
    unsafe {
        libc::mallopt(libc::M_MMAP_THRESHOLD, LARGE);
        libc::mallopt(libc::M_ARENA_MAX, HEAPS);
    }
}

/// Does nothing: other C libraries return memory by themselves.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub(super) fn limit_heap() {}
