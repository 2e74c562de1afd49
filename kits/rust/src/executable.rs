use std::env;
use std::path::{Path, PathBuf};

use crate::Error;

/// The environment variable that names the command.
pub const EXECUTABLE_VARIABLE: &str = "COXSWAIN_EXECUTABLE";

/// The command that is run: what is named, else what `COXSWAIN_EXECUTABLE` names, else `coxswain` on PATH.
pub fn find_executable(named: Option<&Path>) -> Result<PathBuf, Error> {
    if let Some(path) = named {
        return existing(path, "Builder::executable");
    }
    if let Some(path) = env::var_os(EXECUTABLE_VARIABLE).filter(|path| !path.is_empty()) {
        return existing(Path::new(&path), EXECUTABLE_VARIABLE);
    }
    let paths = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&paths).map(|folder| folder.join("coxswain")).find(|path| path.is_file()).ok_or_else(|| {
        Error::new(format!(
            "coxswain was not found: neither Builder::executable nor {EXECUTABLE_VARIABLE} names it, and there is no coxswain on PATH \
             (npm install --global coxswain puts one there)"
        ))
    })
}

fn existing(path: &Path, by: &str) -> Result<PathBuf, Error> {
    if path.is_file() {
        return Ok(path.to_owned());
    }
    Err(Error::new(format!("coxswain was not found: {by} names {}, which is no file", path.display())))
}
