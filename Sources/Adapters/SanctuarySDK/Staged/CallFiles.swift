#if Staged
import CofferdamUpgrade
import Foundation

/// V2's calls in flight, in one file for each concurrent process: calls left by a crash are found by the next
/// process.
struct CallFiles: Sendable {
    /// This process's file; nil if none is available, and then nothing is noted.
    let own: InFlightFile?
    /// Crashes of processes that ran beside the previous owner of this process's file.
    let others: [InFlightFile.Crash]

    /// The maximum number of concurrent processes.
    private static let most = 8

    init(in directory: String) {
        var own: InFlightFile?
        var others: [InFlightFile.Crash] = []
        for number in 0..<Self.most {
            let path = "\(directory)/sanctuary.calls.\(number)"
            guard own == nil || FileManager.default.fileExists(atPath: path) else { continue }
            // Another process holds the lock, or locking fails: having no file is better than waiting.
            guard let file = try? InFlightFile(path: path) else { continue }
            if own == nil { own = file } else if let end = file.crash { others.append(end) }
        }
        self.own = own
        self.others = others
    }

    /// Whether a crash was found.
    var hasFoundEnd: Bool { own?.crash != nil || !others.isEmpty }
}
#endif
