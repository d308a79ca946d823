#if Server
public import Cofferdam  // sides are the kit's
public import CofferdamUpgrade  // plans are the kit's

/// A capability whose upgrade a server runs.
public struct HostedCapability: Sendable, Hashable {
    /// The name, as in the app's recorder: 1 to 100 letters, digits, dots, hyphens and underscores.
    public var name: String
    /// The plan.
    var plan: NamedPlan
    /// Whether the gate takes the steps up that the evidence allows. It always steps down automatically.
    var promotesAutomatically: Bool
    /// The names of the app's operations, besides those that the legacy side's users call. Devices cannot add others.
    public var operations: Set<String> = []
    /// The builds with one side that count, with their side; empty for any, up to eight.
    public var builds: [String: Side] = [:]
    /// The installations whose evidence counts for a promotion. Evidence of all counts for a rollback.
    public var promotionCounts = CountedInstallations.all

    /// Creates a value from its parts.
    public init(_ name: String, plan: NamedPlan = .standard, promotesAutomatically: Bool = false) {
        (self.name, self.plan, self.promotesAutomatically) = (name, plan, promotesAutomatically)
    }
}

/// How often one client may ask.
public struct RequestRate: Sendable, Hashable {
    /// The average number of requests per second; 0 for no limit.
    var perSecond: Int
    /// The number of requests that may come at once after a pause.
    var burst: Int

    /// Creates a value from its parts.
    public init(perSecond: Int, burst: Int) { (self.perSecond, self.burst) = (perSecond, burst) }
}

/// The configuration of a server.
public struct ControlPlaneConfiguration: Sendable {
    /// The host to listen on.
    public var host = "127.0.0.1"
    /// The port; 0 for any free one.
    public var port = 0
    /// The address of the pages, like `https://upgrades.example.com`; they are refused at other hosts. Nil for any
    /// host.
    public var publicURL: String?
    /// The SQLite file with the states, the audit log and the evidence, created if it is missing.
    public var database: String
    /// The tokens, with their roles.
    public var tokens: AccessTokens
    /// The upgrades.
    public var capabilities: [HostedCapability]
    /// Upgrades that another part of this process runs.
    package var watched: [WatchedUpgrade] = []
    /// What this server shares with others; nil for a single server, whose database has everything.
    public var shared: SharedUpgrades?
    /// The length of a unit's window, the same as that of the devices' recorders.
    public var window = EvidenceRecorder.window
    /// What users lose when their calls go back to the legacy side, as a sentence for people on call: "Users who first
    /// signed in under V2 are signed out." The page shows it beside the buttons that send them back. Nil if nothing.
    public var costOfGoingBack: String?
    /// The webhooks that are notified of each change. Give several servers the same: one at a time sends the changes, and each
    /// sends the breakers of its own devices.
    public var webhooks: [Webhook] = []
    /// The number of devices on which the breaker of one operation must be open at once for webhooks to be notified
    /// a second time. The first notice is sent when it opens on the first device.
    public var breakerAlarm = 100
    /// The windows in which nothing is promoted.
    public var freezes: [FreezeWindow] = []
    /// The limit for each IPv4 address, and for each /64 of IPv6. Behind a proxy that is not trusted, all requests
    /// come from one address.
    public var addressRate = RequestRate(perSecond: 100, burst: 400)
    /// How many connections the server accepts, and how long it waits for a request.
    public var connections = ConnectionLimits()
    /// The proxies that say which client a request is from.
    public var trustedProxies = TrustedProxies()
    /// The limit for each token. All devices may share a token.
    public var tokenRate = RequestRate(perSecond: 5_000, burst: 10_000)
    /// How many installations of an app may enrol in an hour from each IPv4 address, and each /64 of IPv6; 0 for none.
    /// All together may be 1,000 times as many.
    public var enrolmentsPerHour = 100
    /// Checks what installations prove about themselves when they enrol; nil if none is attested.
    public var attestation: AttestationVerifier?
    /// The maximum size of a request's body, in bytes.
    public var maxBody = 256 << 10
    /// The maximum size of a team's report on contracts or drift, in bytes.
    public var maxReport = 4 << 20
    /// The maximum number of open long polls and event streams.
    public var maxSubscribers = 50_000
    /// The clock for waits and rates.
    var clock: any Clock<Duration> = ContinuousClock()
    /// Runs the server's own tasks; nil for the default executor.
    var executor: (any TaskExecutor)?
    /// Returns the time in milliseconds since 1970.
    package var now: @Sendable () -> Int64 = WallTime.now

    /// Creates a configuration with defaults for the other settings.
    public init(database: String, tokens: AccessTokens, capabilities: [HostedCapability]) {
        (self.database, self.tokens, self.capabilities) = (database, tokens, capabilities)
    }

    func check() throws(ControlPlaneError) {
        guard (0...65_535).contains(port) else { throw invalid("the port \(port) is not between 0 and 65535") }
        let names = capabilities.map(\.name) + watched.map(\.name)
        guard !names.isEmpty else { throw invalid("there is no capability") }
        guard Set(names).count == names.count else { throw invalid("two capabilities have the same name") }
        for name in names where !Self.isName(name) {
            throw invalid(
                "\"\(name.plain(100))\" is not a valid name: 1 to 100 of A-Z, a-z, 0-9, dot, hyphen, underscore"
            )
        }
        try connections.check()
        _ = try PublicHost(publicURL)
        guard breakerAlarm > 0 else { throw invalid("the number of devices with an open breaker must be positive") }
        guard (0...1_000_000).contains(enrolmentsPerHour) else {
            throw invalid("an address may enrol 0 to 1000000 installations in an hour")
        }
        for capability in capabilities where capability.promotionCounts == .attested && attestation == nil {
            throw invalid("\(capability.name): only attested installations count, but nothing verifies them")
        }
        if shared != nil {
            for capability in capabilities where capability.promotionCounts != .all {
                throw invalid("\(capability.name): only a single server knows which installations have enrolled")
            }
            for capability in capabilities where capability.plan == .arms {
                throw invalid("\(capability.name): the plan arms compares builds, which only a single server does")
            }
        }
        guard window >= .seconds(1), maxBody > 0, maxReport > 0, maxSubscribers > 0 else {
            throw invalid("the window, the limits of bodies and the number of subscribers must be positive")
        }
    }

    private func invalid(_ message: String) -> ControlPlaneError {
        ControlPlaneError(.invalidConfiguration, message)
    }

    static func isName(_ text: some StringProtocol) -> Bool {
        (1...100).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"),
                    UInt8(ascii: "_"):
                    true
                default: false
                }
            }
    }
}
#endif
