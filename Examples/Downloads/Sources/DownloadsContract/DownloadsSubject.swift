public import CofferdamContracts
public import DownloadsPort

/// The subject of a rule: the port, and the server behind it.
public struct DownloadsSubject: Sendable {
    public var service: DownloadsService
    public var vendor: any DownloadsVendor
    /// The secret that no error may contain.
    public var secret: String
    /// The clock that measures the port's deadlines.
    public var clock: AdjustableClock
    /// The directory into which the rules download; empty at first.
    public var directory: String
    /// Returns the names of the files in ``directory``.
    public var filesLeft: @Sendable () async throws -> Set<String>
    /// Opens another instance, at the given address; nil for the same server.
    public var open: @Sendable (DeadAddress?) async throws -> DownloadsSubject

    public init(
        service: DownloadsService,
        vendor: any DownloadsVendor,
        secret: String,
        clock: AdjustableClock,
        directory: String,
        open: @escaping @Sendable (DeadAddress?) async throws -> DownloadsSubject
    ) {
        (self.service, self.vendor, self.secret, self.clock) = (service, vendor, secret, clock)
        (self.directory, self.open) = (directory, open)
        filesLeft = { try Disk.names(in: directory) }
    }
}

/// What a harness can do with the server behind an adapter.
///
/// The requests are called `file`, `files` and `bytes`. Without a connection, `setQuirk` and all methods after it throw
/// an error that says what is missing.
public protocol DownloadsVendor: Sendable {
    /// Replaces the files on the shelf by these.
    func set(_ files: [FileInfo]) async throws
    /// Puts a file with these bytes on the shelf.
    func put(_ bytes: [UInt8], as name: String) async throws

    /// Puts a file on the shelf that is still being written.
    func grow(_ name: String) async throws
    /// Writes one more block.
    func append(_ bytes: [UInt8], to name: String) async throws
    /// Returns once exactly `count` readers read it.
    func waitForReaders(exactly count: Int) async throws
    func simulate(_ incident: StreamIncident) async throws

    /// Makes the server's paging odd.
    func setQuirk(_ quirk: PagingQuirk) async throws
    func inject(_ fault: VendorFault, on request: String, times: Int) async throws
    func clearFaults() async throws
    func arrivals(of request: String) async throws -> Int
    func waitForArrivals(of request: String, atLeast count: Int) async throws
    func waitForHeld(exactly count: Int) async throws
    func release() async throws
}

extension HarnessCapability {
    /// The harness has a connection that can fail.
    public static let wire: HarnessCapability = "wire"
}
