/// The files of a shelf on a server, and their download to this machine.
///
/// Every method throws only ``DownloadsError``, or `CancellationError` once its task is cancelled.
public protocol Downloads: Sendable {
    /// Returns what is known about a file.
    ///
    /// - Throws: `notFound` for a name that the shelf does not have.
    func file(_ name: String) async throws -> FileInfo

    /// Returns one page of the files, ordered by name. The next page begins after the last file of this one.
    ///
    /// - Parameters:
    ///   - name: the name after which to continue, which may be that of any file; nil starts at the beginning.
    ///   - limit: the maximum number of files to return; below 1 counts as 1.
    func files(after name: String?, limit: Int) async throws -> FilePage

    /// Downloads a file to a path. An existing file is replaced once the new one is complete; until then, and after a
    /// failure, it stays as it was.
    ///
    /// - Parameter progress: receives the fraction that has arrived, from 0 to 1. It never decreases, is 1 exactly
    ///   once, at the end of a download that succeeds, and is not called after this method has returned or thrown.
    func download(_ name: String, to path: String, progress: @escaping @Sendable (Double) -> Void) async throws

    /// Returns a file's bytes as they arrive, even while the file is still being written, in blocks of ``Block/size``.
    /// The last block may be shorter. The request is sent at once.
    ///
    /// The server does not wait for a slow reader: one that is more than ``Block/most`` blocks behind gets the error
    /// `overrun`. A stream that breaks off also ends with an error.
    func blocks(of name: String) -> any AsyncSequence<Block, any Error> & Sendable
}

/// The port, as one client or the fake opened it.
public struct DownloadsService: Sendable {
    public var downloads: any Downloads
    /// Ends all calls and streams, current and future, with the error `closed`. May be called again.
    public var close: @Sendable () async -> Void

    public init(_ downloads: any Downloads, close: @escaping @Sendable () async -> Void) {
        (self.downloads, self.close) = (downloads, close)
    }
}

/// What is known about a file.
public struct FileInfo: Sendable, Hashable, Codable {
    public var name: String
    /// The size, in bytes.
    public var size: Int
    /// A note about the file; nil if there is no note, "" if it was emptied.
    public var note: String?

    public init(name: String, size: Int, note: String? = nil) {
        (self.name, self.size, self.note) = (name, size, note)
    }
}

/// One page of the shelf's files.
public struct FilePage: Sendable, Hashable, Codable {
    public var files: [FileInfo]
    /// The name after which the next page begins; nil on the last page.
    public var next: String?

    public init(files: [FileInfo], next: String?) { (self.files, self.next) = (files, next) }
}

/// Some consecutive bytes of a file.
public struct Block: Sendable, Hashable {
    /// The size of each block except the last, in bytes.
    public static let size = 1024
    /// The maximum number of blocks kept for a slow reader.
    public static let most = 1024

    /// The block's position, from 0.
    public var index: Int
    public var bytes: [UInt8]

    public init(index: Int, bytes: [UInt8]) { (self.index, self.bytes) = (index, bytes) }
}

/// The error of a call of ``Downloads``.
public struct DownloadsError: Error, Sendable, Hashable, CustomStringConvertible {
    public enum Code: String, Sendable, Hashable, CaseIterable {
        case notFound, forbidden, invalidRequest, rateLimited, unavailable
        /// The server cannot be reached, or does not answer.
        case unreachable
        /// The deadline of the call has passed.
        case timeout
        /// The answer broke off, or cannot be read to its end.
        case truncated
        /// The answer is complete, but not what was requested.
        case unreadable
        /// The reader is too far behind.
        case overrun
        /// The port is closed.
        case closed
        /// The file cannot be written here.
        case disk
        case unknown
    }

    public var code: Code
    /// A description for humans, without addresses and paths.
    public var detail: String
    /// The wait that the server requests before another attempt.
    public var retryAfter: Duration?

    public init(_ code: Code, _ detail: String, retryAfter: Duration? = nil) {
        (self.code, self.detail, self.retryAfter) = (code, detail, retryAfter)
    }

    /// Whether another attempt may succeed.
    public var isRetryable: Bool {
        switch code {
        case .rateLimited, .unavailable, .unreachable, .timeout, .truncated, .overrun: true
        case .notFound, .forbidden, .invalidRequest, .unreadable, .closed, .disk, .unknown: false
        }
    }

    public var description: String { "\(code.rawValue): \(detail)" }
}
