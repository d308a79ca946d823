#if Server
import ArgumentParser
import Cofferdam
import CofferdamSupport
import CofferdamServer
import CofferdamUpgrade
import Foundation
import Logging
import UnixSignals

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

@main
struct ServerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cofferdam-server",
        abstract: "The control plane of staged upgrades: for devices, people and their tools.",
        subcommands: [Serve.self, Token.self, Backup.self, Restore.self, WebhookCommand.self],
        defaultSubcommand: Serve.self
    )
}

struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Runs the server until it is interrupted. Exits with 1 if it ends before.",
        discussion: """
            Devices read their stage and post their evidence; the gate decides on it. Prints the address to standard \
            output as one line, and logs to standard error. It speaks HTTP: put a proxy with TLS in front of it.

            EXAMPLES
              cofferdam-server token --name amara --role operator --tokens tokens.json
              cofferdam-server --capability orders --tokens tokens.json
              cofferdam-server --listen 0.0.0.0:8080 --database /var/lib/upgrades.sqlite \\
                --tokens /etc/cofferdam/tokens.json --capability orders=small --promote orders \\
                --freeze "Fri 16:00-Mon 08:00" --time-zone Europe/Berlin
              cofferdam-server --capability orders --tokens tokens.json \\
                --etcd https://10.0.0.2:2379 --prefix /apps/shop \\
                --prometheus https://10.0.0.4:9090 --instances 10.0.0.7:8090,10.0.0.8:8090

            Several servers share an etcd; each has its own database with what devices report to it. Credentials are read \
            from the environment: ETCDCTL_USER, ETCDCTL_CACERT and so on, as etcdctl does, and PROMETHEUS_TOKEN, \
            PROMETHEUS_CACERT and so on.
            """
    )

    @Option(help: "The address, HOST:PORT; port 0 for any free one.")
    var listen = "127.0.0.1:8090"

    @Option(
        help: ArgumentHelp(
            "The address at which browsers reach the console, https://HOST; its pages are refused at other hosts.",
            valueName: "url"
        )
    )
    var publicURL: String?

    @Option(help: "The SQLite file with the states, the audit log and the evidence.")
    var database = "upgrades.sqlite"

    @OptionGroup var sharing: SharedOptions

    @Option(help: "The file with the tokens' digests: see `cofferdam-server token --help`.")
    var tokens: String

    @Option(
        help:
            "A capability, NAME or NAME=PLAN, with the plan strict, standard, small or arms; repeatable."
    )
    var capability: [String]

    @Option(
        help: ArgumentHelp(
            "The names of a capability's operations, besides those that V1's users call: \"orders=list,place\"; repeatable.",
            valueName: "name=operations"
        )
    )
    var operations: [String] = []

    @Option(
        help: ArgumentHelp(
            "A build with one side that counts, at the plan arms: \"orders=2.0.1=candidate\"; repeatable.",
            valueName: "name=build=side"
        )
    )
    var build: [String] = []

    @Option(
        help: ArgumentHelp(
            "The installations whose evidence counts for a promotion, all, enrolled or attested: \"orders=enrolled\"; repeatable.",
            valueName: "name=installations"
        )
    )
    var promotionCounts: [String] = []

    @Option(help: "The gate promotes this capability when the evidence allows it.")
    var promote: [String] = []

    @Option(help: "Nothing is promoted in this part of each week: \"Fri 16:00-Mon 08:00\"; repeatable.")
    var freeze: [String] = []

    @Option(help: "The time zone of the freeze windows.")
    var timeZone = "UTC"

    @Option(
        help: ArgumentHelp(
            "What users lose when they go back, shown beside the buttons: \"Users who first signed in under V2 are signed out.\"",
            valueName: "sentence"
        )
    )
    var costOfGoingBack: String?

    @Option(help: "A file of webhooks to notify of each change: {\"webhooks\": [{\"url\", \"secret\", \"format\"}]}.")
    var webhooks: String?

    @Option(help: "Notify webhooks again when a breaker is open on this many devices.")
    var breakerAlarm = 100

    @Option(help: "The length of a unit's window in seconds, the same as in the app's recorder.")
    var window = 600

    @Option(help: "Requests per second for each address, or /64 of IPv6; 0 for no limit. See --trusted-proxy.")
    var addressRate = 100

    @Option(help: "Installations that may enrol in an hour from each address, or /64 of IPv6; 0 for none.")
    var enrolments = 100

    @Option(
        help: ArgumentHelp(
            "A program that reads an installation's attestation and exits with 0 if it is genuine, with 1 if not.",
            valueName: "path"
        )
    )
    var attestationCommand: String?

    @Option(
        help: ArgumentHelp(
            "An address that gets an installation's attestation in a POST and answers with 200 if it is genuine, with 403 if not.",
            valueName: "url"
        )
    )
    var attestationURL: String?

    @Option(
        help: ArgumentHelp(
            "The most connections from one address, or /64 of IPv6, trusted proxies excepted; 0 for no limit. (default: 1000, or half of --max-connections)",
            valueName: "number"
        )
    )
    var addressConnections: Int?

    @Option(
        help: ArgumentHelp(
            "The most connections in all. (default: what the process's limit of open files allows)",
            valueName: "number"
        )
    )
    var maxConnections: Int?

    @Option(
        help: ArgumentHelp(
            "A proxy that says in Forwarded or X-Forwarded-For which client a request is from, as ADDRESS or NETWORK/BITS; repeatable.",
            valueName: "address"
        )
    )
    var trustedProxy: [String] = []

    func run() async throws {
        FileLimit.raise()
        let (host, port) = try Self.address(listen)
        var configuration = ControlPlaneConfiguration(
            database: database,
            tokens: try AccessTokens(contentsOfFile: tokens),
            capabilities: try capabilities()
        )
        (configuration.host, configuration.port) = (host, port)
        configuration.window = .seconds(window)
        configuration.breakerAlarm = breakerAlarm
        configuration.costOfGoingBack = costOfGoingBack
        configuration.shared = try sharing.shared(ProcessInfo.processInfo.environment)
        if let webhooks { configuration.webhooks = try Webhook.all(inFile: webhooks) }
        configuration.freezes = try freeze.map { try FreezeWindow($0, zone: timeZone) }
        configuration.addressRate = RequestRate(perSecond: addressRate, burst: addressRate * 4)
        configuration.enrolmentsPerHour = enrolments
        configuration.attestation = try attestation()
        configuration.publicURL = publicURL
        configuration.connections.perAddress = addressConnections
        configuration.connections.total = maxConnections
        configuration.trustedProxies = try TrustedProxies(trustedProxy)
        var logger = Logger(label: "cofferdam-server", factory: StreamLogHandler.standardError(label:))
        logger.logLevel = .notice
        let signals = await UnixSignalsSequence(trapping: .sigint, .sigterm)
        let server = try await ControlPlane.start(configuration, logger: logger)
        print(server.url)
        // Flushes, so that a pipe receives the line now.
        fflush(nil)
        do { try await server.run { for await _ in signals { break } } } catch {
            logger.critical("\(error)")
            throw ExitCode.failure
        }
    }

    private func attestation() throws -> AttestationVerifier? {
        guard attestationCommand == nil || attestationURL == nil else {
            throw ValidationError("Give --attestation-command or --attestation-url, not both.")
        }
        if let attestationCommand { return try .command(attestationCommand) }
        return try attestationURL.map { try .address($0) }
    }

    private func capabilities() throws -> [HostedCapability] {
        var hosted = try capability.map { text -> HostedCapability in
            let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
            let name = parts.first ?? ""
            let plan = parts.count > 1 ? NamedPlan(rawValue: parts[1]) : .standard
            guard let plan else {
                let plans = NamedPlan.allCases.map(\.rawValue).joined(separator: ", ")
                throw ValidationError("--capability \(name): the plan must be one of \(plans)")
            }
            return HostedCapability(name, plan: plan, promotesAutomatically: promote.contains(name))
        }
        for text in operations {
            let parts = text.split(separator: "=", maxSplits: 1)
            guard parts.count == 2, let place = hosted.firstIndex(where: { $0.name == parts[0] }) else {
                throw ValidationError("--operations \(text): give NAME=OPERATION,… of a --capability")
            }
            hosted[place].operations.formUnion(parts[1].split(separator: ",").map(String.init))
        }
        for text in promotionCounts {
            let parts = text.split(separator: "=", maxSplits: 1)
            guard parts.count == 2, let counted = CountedInstallations(rawValue: String(parts[1])),
                let place = hosted.firstIndex(where: { $0.name == parts[0] })
            else {
                throw ValidationError("--promotion-counts \(text): give NAME=all, NAME=enrolled or NAME=attested")
            }
            hosted[place].promotionCounts = counted
        }
        for text in build {
            let parts = text.split(separator: "=")
            guard parts.count == 3, let side = Side(rawValue: String(parts[2])),
                let place = hosted.firstIndex(where: { $0.name == parts[0] })
            else { throw ValidationError("--build \(text): give NAME=BUILD=legacy or NAME=BUILD=candidate") }
            hosted[place].builds[String(parts[1])] = side
        }
        for name in promote where !hosted.contains(where: { $0.name == name }) {
            throw ValidationError("--promote \(name): there is no such --capability")
        }
        return hosted
    }

    private static func address(_ text: String) throws -> (String, Int) {
        guard let colon = text.lastIndex(of: ":"), let port = Int(text[text.index(after: colon)...]),
            (0...65_535).contains(port), colon > text.startIndex
        else { throw ValidationError("--listen must be HOST:PORT, with a port of 0 to 65535") }
        let host = text[..<colon]
        return (
            host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : String(host), port
        )
    }
}

struct Token: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Makes a token, prints it once and adds its digest to the file.",
        discussion: """
            device    reads stages and posts evidence; all installations of an app may share one
            reader    reads everything but the refused requests
            operator  reads, and changes upgrades
            admin     does what an operator does, and reads the refused requests

            To withdraw a token, remove it from the file and start the server again. The server refuses a file that \
            others than its owner may write, and two holders of one token.

            EXAMPLES
              cofferdam-server token --name shop-app --role device --tokens tokens.json
              cofferdam-server token --name amara --role operator --tokens tokens.json
            """
    )

    @Option(help: "The holder's name, for the audit log.")
    var name: String

    @Option(help: "device, reader, operator or admin.", transform: Self.role)
    var role: ServerRole

    @Option(help: "The file, created if it is missing.")
    var tokens: String

    func run() throws {
        print(try AccessTokens.add(name, role, toFile: tokens))
    }

    private static func role(_ text: String) throws -> ServerRole {
        guard let role = ServerRole(rawValue: text) else {
            let roles = ServerRole.allCases.map(\.rawValue).joined(separator: ", ")
            throw ValidationError("the role must be one of \(roles)")
        }
        return role
    }
}
#else
import CofferdamSupport

@main enum ServerCommand {
    static func main() { MissingTrait("Server").end() }
}
#endif
