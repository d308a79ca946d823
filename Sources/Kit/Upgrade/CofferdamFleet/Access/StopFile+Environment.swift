#if Fleet
import CofferdamCurl
public import CofferdamDevice  // its stop file
public import CofferdamUpgrade  // its errors

extension StopFile {
    /// Reads `COFFERDAM_STOP_FILE` and `COFFERDAM_STOP_KEY`; nil if neither is set.
    ///
    /// - Throws: `UpgradeStoreError` with `unavailable` if only one is set, or one is invalid.
    public init?(environment: [String: String]) throws(UpgradeStoreError) {
        let (address, key) = (environment[StopFile.variables.address] ?? "", environment[StopFile.variables.key] ?? "")
        if address.isEmpty, key.isEmpty { return nil }
        for (value, name) in [(address, StopFile.variables.address), (key, StopFile.variables.key)] where value.isEmpty
        {
            throw UpgradeStoreError(.unavailable, "a stop file needs an address and a key", subject: name)
        }
        try self.init(address, key: key, transport: .curl(CurlClient()))
    }
}
#endif
