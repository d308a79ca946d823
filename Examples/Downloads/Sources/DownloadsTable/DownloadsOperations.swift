public import Cofferdam
public import DownloadsPort
import Synchronization

/// The table of ``Downloads``: each method once, with its effect.
public enum DownloadsOperations {
    public static let file = PortOperation<any Downloads, String, FileInfo>("file", .read) {
        try await $0.file($1)
    }
    .compared(by: Comparator().field("size", \.size).field("note", \.note))

    /// Either client continues from a name, so any page may be requested from either side: there is no `paged(by:)`.
    public static let files = PortOperation<any Downloads, (after: String?, limit: Int), FilePage>("files", .read) {
        try await $0.files(after: $1.after, limit: $1.limit)
    }
    .compared(by: Comparator().field("files", \.files).field("next", \.next))

    public typealias Download = (name: String, path: String, progress: @Sendable (Double) -> Void)

    /// Idempotent, because it writes the same file each time.
    public static let download = PortOperation<any Downloads, Download, Void>("download", .idempotent) {
        try await $0.download($1.name, to: $1.path, progress: $1.progress)
    }
    .reporting(.downloads)

    public static let blocks = StreamingOperation<any Downloads, String, Block>("blocks") { $0.blocks(of: $1) }
}

extension Intercepted: Downloads where Port == any Downloads {
    public func file(_ name: String) async throws -> FileInfo {
        try await call(DownloadsOperations.file, name) { try await $0.file($1) }
    }

    public func files(after name: String?, limit: Int) async throws -> FilePage {
        try await call(DownloadsOperations.files, (name, limit)) {
            try await $0.files(after: $1.after, limit: $1.limit)
        }
    }

    public func download(
        _ name: String,
        to path: String,
        progress: @escaping @Sendable (Double) -> Void
    ) async throws {
        try await call(DownloadsOperations.download, (name, path, progress)) {
            try await $0.download($1.name, to: $1.path, progress: $1.progress)
        }
    }

    public func blocks(of name: String) -> any AsyncSequence<Block, any Error> & Sendable {
        stream(DownloadsOperations.blocks, name)
    }
}

extension ProgressReporting<DownloadsOperations.Download, Void> {
    /// However many sides try, the caller's progress never decreases, and is not reported after the end.
    fileprivate static var downloads: Self {
        ProgressReporting { download in
            let progress = MonotonicProgress()
            return Session(
                input: (download.name, download.path, { progress.report($0, download.progress) }),
                end: { progress.end() }
            )
        }
    }
}

private final class MonotonicProgress: Sendable {
    private let last = Mutex<Double?>(-1)

    func report(_ fraction: Double, _ progress: (Double) -> Void) {
        last.withLock { last in
            guard let known = last, fraction >= known else { return }
            last = fraction
            progress(fraction)
        }
    }

    func end() { last.withLock { $0 = nil } }
}
