#if SQLite
import GRDB

extension CacheError {
    /// Converts SQLite's error, without its statements and their arguments; returns any other error unchanged.
    static func converted(_ error: any Error, subject: String) -> any Error {
        switch error {
        case let error as DatabaseError:
            let message = error.message ?? "no message"
            // The file is marked as ours, but lacks a part of our schema.
            let isIncomplete = error.resultCode == .SQLITE_ERROR && message.hasPrefix("no such ")
            return CacheError(
                isIncomplete ? .damaged : code(error.resultCode),
                subject: subject,
                "SQLite's error \(error.extendedResultCode.rawValue): \(message)"
            )
        case is RowDecodingError:
            return CacheError(.damaged, subject: subject, "a value in the file has the wrong type")
        default: return error
        }
    }

    private static func code(_ code: ResultCode) -> Code {
        switch code {
        case .SQLITE_CORRUPT, .SQLITE_NOTADB: .damaged
        case .SQLITE_BUSY, .SQLITE_LOCKED: .busy
        case .SQLITE_FULL: .full
        case .SQLITE_TOOBIG: .tooLarge
        default: .file
        }
    }
}
#endif
