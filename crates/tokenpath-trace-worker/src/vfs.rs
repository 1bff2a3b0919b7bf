//! A file system for SQLite in which there is one file, which can only be read.
#![allow(unsafe_code, reason = "SQLite's interface of file systems is C")]

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::atomic::{AtomicU32, Ordering};

use rusqlite::{Connection, OpenFlags};
use sqlite_wasm_rs::WasmOsCallback;
use sqlite_wasm_rs::vfs::{
    AccessMode, LockLevel, OpenAccess, OpenOptions, OpenRequest, OpenedFile, SQLiteIoMethods, SQLiteVfs, SyncOptions,
    VfsError, VfsErrorCode, VfsFile, VfsResult, VfsStore, register_vfs,
};
use tokenpath_files::BlobBytes;

use crate::blocks::Blocks;

/// The file, shared between the file system and what SQLite has opened in it.
type File = Rc<RefCell<Blocks<BlobBytes>>>;

/// What the file is called there.
const NAME: &str = "trace";

/// Opens the database in `blocks` for reading. Nothing is looked for beside it.
///
/// # Errors
/// When SQLite refuses.
pub(crate) fn open(blocks: Blocks<BlobBytes>) -> Result<Connection, String> {
    /// A worker reads one trace; tests read several, each in a file system of its own.
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let system = format!("file-{}", COUNT.fetch_add(1, Ordering::Relaxed));
    // SAFETY: `System`, `Methods` and `Store` take everything but the typed methods from the crate, so its callbacks,
    // layouts and versions agree with each other. The name is new, and this target has one thread, so nothing registers
    // or uses file systems at the same time. The registration is never taken back: it is as long-lived as the module,
    // which outlives every connection.
    let registered = unsafe { register_vfs::<Methods, System>(&system, Rc::new(RefCell::new(blocks)), false) };
    // What stays registered when its handle is dropped is what is wanted.
    let _ = registered.map_err(|error| error.to_string())?;
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    Connection::open_with_flags_and_vfs(format!("file:{NAME}?immutable=1"), flags, system.as_str())
        .map_err(|error| error.to_string())
}

fn only_read<T>() -> VfsResult<T> {
    Err(VfsError::new(VfsErrorCode::ReadOnly, "the file is only read".into()))
}

struct Handle(File);

impl VfsFile for Handle {
    fn read(&mut self, buf: &mut [u8], offset: u64) -> VfsResult<usize> {
        let failed =
            |error: tokenpath_import::ReadFailed| VfsError::new(VfsErrorCode::IoRead, error.to_string().into());
        self.0.borrow_mut().read(offset, buf).map_err(failed)
    }

    fn write(&mut self, _buf: &[u8], _offset: u64) -> VfsResult<()> {
        only_read()
    }

    fn truncate(&mut self, _size: u64) -> VfsResult<()> {
        only_read()
    }

    fn sync(&mut self, _options: SyncOptions) -> VfsResult<()> {
        Ok(())
    }

    fn size(&self) -> VfsResult<u64> {
        Ok(self.0.borrow().len())
    }

    // Nobody writes, so nobody has to be kept out.
    fn lock(&mut self, _level: LockLevel) -> VfsResult<()> {
        Ok(())
    }

    fn unlock(&mut self, _level: LockLevel) -> VfsResult<()> {
        Ok(())
    }

    fn check_reserved_lock(&self) -> VfsResult<bool> {
        Ok(false)
    }
}

struct Store;

impl VfsStore for Store {
    type File = Handle;
    type AppData = File;

    fn open_file(data: &File, request: OpenRequest<'_>) -> VfsResult<OpenedFile<Handle>> {
        match request.filename {
            Some(name) if name.path() == NAME => {
                Ok(OpenedFile { file: Handle(Rc::clone(data)), access: OpenAccess::ReadOnly })
            }
            // SQLite is built to keep what it sorts in memory, and the database is immutable: it needs no other file.
            _ => Err(VfsError::new(VfsErrorCode::CantOpen, "there is one file only".into())),
        }
    }

    fn close_file(_data: &File, _name: Option<&str>, _file: Handle, _options: OpenOptions) -> VfsResult<()> {
        Ok(())
    }

    fn access(_data: &File, name: &str, mode: AccessMode) -> VfsResult<bool> {
        Ok(name == NAME && mode != AccessMode::ReadWrite)
    }

    fn full_pathname(_data: &File, name: &str) -> VfsResult<String> {
        Ok(name.to_owned())
    }

    fn delete_file(_data: &File, _name: &str, _sync_dir: bool) -> VfsResult<()> {
        only_read()
    }
}

struct Methods;

impl SQLiteIoMethods for Methods {
    type Store = Store;
}

struct System;

impl SQLiteVfs<Methods> for System {
    type Os = WasmOsCallback;

    fn os(_data: &File) -> &WasmOsCallback {
        &WasmOsCallback
    }
}
