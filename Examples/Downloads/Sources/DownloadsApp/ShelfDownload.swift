public import DownloadsPort

/// The app's feature: downloads everything on a shelf to this machine.
public struct ShelfDownload: Sendable {
    private let downloads: any Downloads

    public init(_ downloads: any Downloads) { self.downloads = downloads }

    /// Downloads every file into a directory, several at a time; files that have disappeared since they were listed are
    /// left out.
    ///
    /// - Parameter progress: receives the fraction of a file that has arrived.
    /// - Returns: the downloaded files, by name.
    /// - Throws: `unreadable`, before any file is downloaded, if the server lists a name that may lead out of the
    ///   directory.
    public func run(
        into directory: String,
        atOnce most: Int = 4,
        progress: @escaping @Sendable (_ name: String, _ fraction: Double) -> Void = { _, _ in }
    ) async throws -> [FileInfo] {
        var files: [FileInfo] = []
        var page = try await downloads.files(after: nil, limit: 100)
        files += page.files
        while let next = page.next {
            page = try await downloads.files(after: next, limit: 100)
            files += page.files
        }
        guard files.allSatisfy(\.hasPlainName) else {
            throw DownloadsError(.unreadable, "a listed file has a name that no file in a directory may have")
        }
        return try await withThrowingTaskGroup(of: FileInfo?.self) { [downloads] group in
            var here: [FileInfo] = []
            for (index, file) in files.enumerated() {
                if index >= most, let done = try await group.next() { here += [done].compactMap(\.self) }
                group.addTask {
                    do {
                        try await downloads.download(file.name, to: "\(directory)/\(file.name)") {
                            progress(file.name, $0)
                        }
                        return file
                    } catch let error as DownloadsError where error.code == .notFound {
                        return nil
                    }
                }
            }
            for try await done in group { here += [done].compactMap(\.self) }
            return here.sorted { $0.name < $1.name }
        }
    }
}

extension FileInfo {
    /// Whether the name, which the server chooses, is that of a file in the directory itself: `../x` is not.
    fileprivate var hasPlainName: Bool { !name.isEmpty && !name.hasPrefix(".") && !name.contains("/") }
}
