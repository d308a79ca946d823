public import CofferdamContracts
public import DownloadsPort

/// What a rule drives: the port, and the server behind it.
public struct DownloadsSubject: Sendable {
    public var service: DownloadsService
    public var vendor: any DownloadsVendor
    /// What no error may tell.
    public var secret: String
    /// What the port's deadlines are measured on.
    public var clock: AdjustableClock
    /// Where the rules download to; empty at first.
    public var directory: String
    /// The names of the files in it.
    public var filesLeft: @Sendable () async throws -> Set<String>
    /// Opens another instance, at that address or at the same server.
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
/// The requests are called `file`, `files` and `bytes`. Where there is no wire, the last part throws what is missing.
public protocol DownloadsVendor: Sendable {
    /// Empties the shelf, and puts these on it.
    func set(_ files: [FileInfo]) async throws
    /// Puts a file of these bytes on the shelf.
    func put(_ bytes: [UInt8], as name: String) async throws

    /// Puts a file on the shelf that is still being written.
    func grow(_ name: String) async throws
    /// Writes a block more.
    func append(_ bytes: [UInt8], to name: String) async throws
    /// Returns once exactly so many read it.
    func waitForReaders(exactly count: Int) async throws
    func befall(_ incident: StreamIncident) async throws

    /// Makes the server page oddly.
    func setQuirk(_ quirk: PagingQuirk) async throws
    func inject(_ fault: VendorFault, on request: String, times: Int) async throws
    func clearFaults() async throws
    func arrivals(of request: String) async throws -> Int
    func waitForArrivals(of request: String, atLeast count: Int) async throws
    func waitForHeld(exactly count: Int) async throws
    func release() async throws
}

extension HarnessCapability {
    /// There is a connection that can go wrong.
    public static let wire: HarnessCapability = "wire"
}
