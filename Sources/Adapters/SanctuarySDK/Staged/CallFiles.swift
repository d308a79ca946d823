#if Staged
    import CofferdamUpgrade
    import Foundation

    /// V2's calls under way, in a file for each process that runs at a time: what an end that nobody could tell of has left is
    /// found by the next process, whichever it is.
    struct CallFiles: Sendable {
        /// This process's; nil where none can be had, and so nothing is noted.
        let own: InFlightFile?
        /// Of processes that ran beside the one whose file this one has now, and are gone.
        let others: [InFlightFile.Crash]

        /// How many processes at a time are known.
        private static let most = 8

        init(in directory: String) {
            var own: InFlightFile?
            var others: [InFlightFile.Crash] = []
            for number in 0..<Self.most {
                let path = "\(directory)/sanctuary.calls.\(number)"
                guard own == nil || FileManager.default.fileExists(atPath: path) else { continue }
                // Another process has it, or nobody can: then none is better than waiting.
                guard let file = try? InFlightFile(path: path) else { continue }
                if own == nil { own = file } else if let end = file.crash { others.append(end) }
            }
            self.own = own
            self.others = others
        }

        /// Whether any of them was found.
        var hasFoundEnd: Bool { own?.crash != nil || !others.isEmpty }
    }
#endif
