import Cofferdam
import CofferdamContracts
import DownloadsPort
import DownloadsTable
import Foundation

extension PortPlace<DownloadsSubject, any Downloads> {
    static let downloads = PortPlace(\.service.downloads) { Intercepted($0, by: $1) }
}

/// The port's operations, which the kit's families call and their mutants replace.
enum Calls {
    static let file = PortCall(DownloadsOperations.file, at: .downloads)
    static let download = PortCall(DownloadsOperations.download, at: .downloads)

    static let files = PortCall<DownloadsSubject, ListQuery, ListPage<FileInfo>>(
        "files",
        get: { subject in
            { query in
                let page = try await subject.service.downloads.files(after: query.cursor, limit: query.limit)
                return ListPage(items: page.files, next: page.next)
            }
        },
        replace: { subject, list in
            PortPlace.downloads.replacing(DownloadsOperations.files, in: subject) { _, input in
                let page = try await list(ListQuery(cursor: input.after, limit: input.limit))
                return FilePage(files: page.items, next: page.next)
            }
        }
    )

    /// A download that returns the file's bytes.
    static let bytes = PortCall<DownloadsSubject, String, [UInt8]>(
        "download",
        get: { subject in
            { name in
                let path = "\(subject.directory)/\(name)"
                try await subject.service.downloads.download(name, to: path) { _ in }
                return try Disk.take(path)
            }
        },
        replace: { subject, perform in
            PortPlace.downloads.replacing(DownloadsOperations.download, in: subject) { _, input in
                try Disk.write(try await perform(input.name), to: input.path)
            }
        }
    )

    static let progress = PortCall<DownloadsSubject, ReportedInput<String>, Void>(
        "download, with progress",
        get: { subject in
            { input in
                let path = "\(subject.directory)/\(input.input)"
                try await subject.service.downloads.download(input.input, to: path, progress: input.report)
                Disk.remove(path)
            }
        },
        // Does not use the table, whose entry would hide a mutant's late progress from the rule.
        replace: { subject, perform in subject.with { ReplacedDownloads(clean: $0, download: perform) } }
    )

    static let filesLeft = PortCall<DownloadsSubject, Void, Set<String>>(
        "files left",
        get: { subject in { _ in try await subject.filesLeft() } },
        replace: { subject, perform in
            var subject = subject
            subject.filesLeft = { try await perform(()) }
            return subject
        }
    )

    /// The blocks of a growing file.
    static let blocks = PortStream<DownloadsSubject, Block>(
        "blocks",
        get: { $0.service.downloads.blocks(of: growing) },
        replace: { subject, events in replacingBlocks(in: subject) { _ in events() } }
    )

    static let growing = "growing"

    static func replacingBlocks(
        in subject: DownloadsSubject,
        by blocks: @escaping @Sendable (_ name: String) -> PortEvents<Block>
    ) -> DownloadsSubject {
        subject.with { ReplacedDownloads(clean: $0, blocks: blocks) }
    }
}

extension DownloadsSubject {
    fileprivate func with(_ change: (any Downloads) -> any Downloads) -> DownloadsSubject {
        var subject = self
        subject.service.downloads = change(service.downloads)
        return subject
    }
}

private struct ReplacedDownloads: Downloads {
    let clean: any Downloads
    var download: (@Sendable (ReportedInput<String>) async throws -> Void)?
    var blocks: (@Sendable (String) -> PortEvents<Block>)?

    func file(_ name: String) async throws -> FileInfo { try await clean.file(name) }

    func files(after name: String?, limit: Int) async throws -> FilePage {
        try await clean.files(after: name, limit: limit)
    }

    func download(
        _ name: String,
        to path: String,
        progress: @escaping @Sendable (Double) -> Void
    ) async throws {
        guard let download else { return try await clean.download(name, to: path, progress: progress) }
        try await download(ReportedInput(name, report: progress))
    }

    func blocks(of name: String) -> PortEvents<Block> {
        blocks?(name) ?? clean.blocks(of: name)
    }
}

/// The files that the rules download.
enum Disk {
    static func names(in directory: String) throws -> Set<String> {
        Set(try FileManager.default.contentsOfDirectory(atPath: directory))
    }

    /// Returns the bytes of a file, and removes it.
    static func take(_ path: String) throws -> [UInt8] {
        let bytes = Array(try Data(contentsOf: URL(filePath: path)))
        remove(path)
        return bytes
    }

    static func write(_ bytes: [UInt8], to path: String) throws {
        try Data(bytes).write(to: URL(filePath: path))
    }

    static func remove(_ path: String) { unlink(path) }
}
