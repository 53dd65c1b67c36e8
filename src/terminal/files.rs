//! The files that the terminal writes: pictures and records. Each is written whole or not at all.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Writes a file, and replaces an earlier one with that name only when all of it is written.
pub(super) fn replace_file(folder: &Path, name: &str, bytes: &[u8]) -> io::Result<PathBuf> {
    let path = folder.join(name);
    let unfinished = folder.join(format!("{name}.{}.unfinished", std::process::id()));
    // A process with the same id that was killed may have left one.
    let _ = fs::remove_file(&unfinished);
    let written = create_file(&unfinished, bytes).and_then(|()| {
        fs::rename(&unfinished, &path).inspect_err(|_| {
            // The first error is the one to report.
            let _ = fs::remove_file(&unfinished);
        })
    });
    written.map_err(|error| about(&path, &error))?;
    Ok(path)
}

/// Writes a file, unless there is one with the same text. Never overwrites one, because it may be the only copy of a
/// player's data: the new one then has a number in its name.
pub(super) fn write_new_file(folder: &Path, name: &str, text: &str) -> io::Result<PathBuf> {
    let (stem, ending) = name.rsplit_once('.').unwrap_or((name, "txt"));
    let mut path = folder.join(name);
    for number in 2.. {
        match create_file(&path, text.as_bytes()) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                if fs::read(&path).is_ok_and(|bytes| bytes == text.as_bytes()) {
                    break;
                }
                path = folder.join(format!("{stem}-{number}.{ending}"));
            }
            written => {
                written.map_err(|error| about(&path, &error))?;
                break;
            }
        }
    }
    Ok(path)
}

/// Creates a file that only its owner can read. If it cannot be written, nothing is left of it.
fn create_file(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)?.write_all(bytes).inspect_err(|_| {
        // The first error is the one to report.
        let _ = fs::remove_file(path);
    })
}

/// Returns what identifies the file at a path, to notice that it was deleted or replaced; `None` if there is none.
#[cfg(unix)]
pub(super) fn identity(path: &Path) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;
    fs::metadata(path).ok().map(|file| (file.dev(), file.ino()))
}

/// Returns nothing: an open file cannot be deleted here.
#[cfg(not(unix))]
pub(super) const fn identity(_: &Path) -> Option<(u64, u64)> {
    None
}

/// Adds the name of the file to an error.
fn about(path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn a_new_file_is_private_and_overwrites_nothing() {
        let folder = std::env::temp_dir().join(format!("ratatosk-new-file-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let names = ["first", "second", "third"].map(|text| {
            let path = write_new_file(&folder, "everything.txt", text).unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
            #[cfg(unix)]
            {
                use std::os::unix::fs::PermissionsExt;
                assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o077, 0);
            }
            path.file_name().unwrap().to_owned()
        });
        assert_eq!(names, ["everything.txt", "everything-2.txt", "everything-3.txt"]);
        assert_eq!(write_new_file(&folder, "everything.txt", "second").unwrap(), folder.join("everything-2.txt"));
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 3, "the same text needs no further file");
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn a_file_that_cannot_be_written_is_named_and_nothing_is_left() {
        let folder = std::env::temp_dir().join(format!("ratatosk-no-file-{}", std::process::id()));
        fs::create_dir_all(folder.join("board.png")).unwrap();
        let error = replace_file(&folder, "board.png", b"png").unwrap_err();
        assert!(error.to_string().starts_with(&format!("{}: ", folder.join("board.png").display())), "{error}");
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
        fs::remove_dir_all(&folder).unwrap();
        let error = write_new_file(&folder, "record.txt", "text").unwrap_err();
        assert!(error.to_string().starts_with(&format!("{}: ", folder.join("record.txt").display())), "{error}");
    }
}
