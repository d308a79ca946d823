/// The files of a shelf on a server, and how they get onto this machine.
///
/// Every method throws ``DownloadsError``, or `CancellationError` once its task is cancelled, and nothing else.
public protocol Downloads: Sendable {
    /// What is known of a file.
    ///
    /// - Throws: `notFound` for a name that the shelf does not have.
    func file(_ name: String) async throws -> FileInfo

    /// One page of the files, in the order of their names. The next page begins after the last file of this one.
    ///
    /// - Parameters:
    ///   - name: where to go on, the name of any file; nil: at the beginning.
    ///   - limit: the most files to return; below 1 counts as 1.
    func files(after name: String?, limit: Int) async throws -> FilePage

    /// Downloads a file to a path. A file that is there is replaced once the new one is complete; until then, and
    /// after a failure, it is as it was.
    ///
    /// - Parameter progress: is told how much has come, from 0 to 1. It never decreases, is 1 once, at the end of a
    ///   download that succeeds, and comes no more when the call has ended.
    func download(_ name: String, to path: String, progress: @escaping @Sendable (Double) -> Void) async throws

    /// A file's bytes as they arrive, also of one that is still being written: in blocks of ``Block/size``, of which
    /// the last may be shorter. The request is sent at once.
    ///
    /// The server is not asked to wait for a slow reader: one that is more than ``Block/most`` blocks behind gets the
    /// error `overrun`. A stream that breaks off ends with an error, too.
    func blocks(of name: String) -> any AsyncSequence<Block, any Error> & Sendable
}

/// The port, as one client or the fake opened it.
public struct DownloadsService: Sendable {
    public var downloads: any Downloads
    /// Ends all calls and streams by the error `closed`, and each later one. May be called again.
    public var close: @Sendable () async -> Void

    public init(_ downloads: any Downloads, close: @escaping @Sendable () async -> Void) {
        (self.downloads, self.close) = (downloads, close)
    }
}

/// What is known of a file.
public struct FileInfo: Sendable, Hashable, Codable {
    public var name: String
    /// In bytes.
    public var size: Int
    /// A note about it; nil if there is no note, "" if it was emptied.
    public var note: String?

    public init(name: String, size: Int, note: String? = nil) {
        (self.name, self.size, self.note) = (name, size, note)
    }
}

/// One page of the shelf's files.
public struct FilePage: Sendable, Hashable, Codable {
    public var files: [FileInfo]
    /// Where to go on; nil: this is the last page.
    public var next: String?

    public init(files: [FileInfo], next: String?) { (self.files, self.next) = (files, next) }
}

/// Some consecutive bytes of a file.
public struct Block: Sendable, Hashable {
    /// How long each is, but the last.
    public static let size = 1024
    /// How many are kept for a slow reader.
    public static let most = 1024

    /// From 0.
    public var index: Int
    public var bytes: [UInt8]

    public init(index: Int, bytes: [UInt8]) { (self.index, self.bytes) = (index, bytes) }
}

/// What a call of ``Downloads`` throws.
public struct DownloadsError: Error, Sendable, Hashable, CustomStringConvertible {
    public enum Code: String, Sendable, Hashable, CaseIterable {
        case notFound, forbidden, invalidRequest, rateLimited, unavailable
        /// The server cannot be reached, or says nothing.
        case unreachable
        /// The time for the call is up.
        case timeout
        /// The answer broke off, or cannot be read to its end.
        case truncated
        /// The answer is complete, and not what was asked for.
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
    /// For people; contains no address and no path.
    public var detail: String
    /// How long the server asks to wait before another try.
    public var retryAfter: Duration?

    public init(_ code: Code, _ detail: String, retryAfter: Duration? = nil) {
        (self.code, self.detail, self.retryAfter) = (code, detail, retryAfter)
    }

    /// Whether another try may succeed.
    public var isRetryable: Bool {
        switch code {
        case .rateLimited, .unavailable, .unreachable, .timeout, .truncated, .overrun: true
        case .notFound, .forbidden, .invalidRequest, .unreadable, .closed, .disk, .unknown: false
        }
    }

    public var description: String { "\(code.rawValue): \(detail)" }
}
