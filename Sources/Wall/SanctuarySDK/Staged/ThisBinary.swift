#if Staged
    import Foundation

    /// Which build of the app this is: what another one counted says nothing of it.
    enum ThisBinary {
        /// Its size and when it was built; empty where that cannot be told.
        static let identity: String = {
            guard let path = Bundle.main.executablePath,
                let attributes = try? FileManager.default.attributesOfItem(atPath: path),
                let size = attributes[.size] as? Int, let date = attributes[.modificationDate] as? Date
            else { return "" }
            return "\(size) \(Int64(date.timeIntervalSince1970 * 1_000))"
        }()
    }
#endif
