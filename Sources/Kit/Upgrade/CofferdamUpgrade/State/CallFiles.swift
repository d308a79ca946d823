import Foundation

/// The candidate's calls in flight of one capability, in one file for each concurrent process: calls left by a crash are
/// found by the next process.
package struct CallFiles: Sendable {
    /// This process's file; nil if none is available, and then nothing is noted.
    package let own: InFlightFile?
    /// Crashes of processes that ran beside the previous owner of this process's file.
    package let others: [InFlightFile.Crash]

    /// The maximum number of concurrent processes.
    private static let most = 8

    /// - Parameter own: a process's only file; nil for none.
    package init(_ own: InFlightFile? = nil) { (self.own, others) = (own, []) }

    /// - Parameter directory: created if it is missing. If it cannot be used, nothing is noted.
    package init(of capability: String, in directory: String) {
        // On a full or read-only disk the app opens all the same, and notes nothing.
        try? FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        var own: InFlightFile?
        var others: [InFlightFile.Crash] = []
        for number in 0..<Self.most {
            let path = "\(directory)/\(FileName.name(of: capability)).calls.\(number)"
            guard own == nil || FileManager.default.fileExists(atPath: path) else { continue }
            // Another process holds the lock, or locking fails: having no file is better than waiting.
            guard let file = try? InFlightFile(path: path) else { continue }
            if own == nil { own = file } else if let end = file.crash { others.append(end) }
        }
        self.own = own
        self.others = others
    }

    /// Whether a crash was found.
    package var hasFoundEnd: Bool { own?.crash != nil || !others.isEmpty }
}
