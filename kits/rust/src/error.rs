use std::fmt;

/// What went wrong, in a sentence, with the end of the server's log where there is one.
#[derive(Debug)]
pub struct Error {
    what: String,
    log: String,
}

impl Error {
    pub(crate) fn new(what: impl Into<String>) -> Self {
        Self { what: what.into(), log: String::new() }
    }

    pub(crate) fn with_log(mut self, log: String) -> Self {
        self.log = log;
        self
    }
}

impl fmt::Display for Error {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.what)?;
        if self.log.is_empty() { Ok(()) } else { write!(out, "; the end of its log:\n{}", self.log) }
    }
}

impl std::error::Error for Error {}
