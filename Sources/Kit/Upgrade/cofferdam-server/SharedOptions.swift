#if Server
import ArgumentParser
import CofferdamFleet
import CofferdamServer

/// The options of servers that share upgrades.
struct SharedOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The etcd with the states and the audit log of several servers: addresses, separated by commas.",
            valueName: "urls"
        )
    )
    var etcd: String?

    @Option(help: "The prefix of all keys in etcd, different for each app.")
    var prefix = "/apps/cofferdam"

    @Option(
        help: ArgumentHelp("The Prometheus that scrapes /metrics of all servers.", valueName: "url")
    )
    var prometheus: String?

    @Option(help: "The servers' label 'job' in Prometheus.")
    var job = "cofferdam-server"

    @Option(
        help: ArgumentHelp(
            "The 'instance' labels of all servers, separated by commas; the gate holds if one is missing.",
            valueName: "names"
        )
    )
    var instances: String?

    @Option(
        help: ArgumentHelp(
            "The maximum age of a server's last scrape and write: at least twice the scrape interval.",
            valueName: "seconds"
        )
    )
    var freshness = 60

    func validate() throws {
        guard etcd != nil else {
            guard prometheus == nil, instances == nil else {
                throw ValidationError("--prometheus and --instances need --etcd, which several servers share.")
            }
            return
        }
        guard prometheus != nil else {
            throw ValidationError("--etcd needs --prometheus, which scrapes all servers: the gate reads it.")
        }
        let names = names
        guard !names.isEmpty, !names.contains(""), Set(names).count == names.count else {
            throw ValidationError("--instances must name each server once, as Prometheus does.")
        }
        guard (1...86_400).contains(freshness) else {
            throw ValidationError("--freshness must be 1 to 86400 seconds.")
        }
    }

    private var names: [String] {
        (instances ?? "").split(separator: ",", omittingEmptySubsequences: false)
            .map { $0.filter { !$0.isWhitespace } }
    }

    /// What the servers share; nil for a single server.
    ///
    /// - Parameter environment: holds the credentials.
    func shared(_ environment: [String: String]) throws -> SharedUpgrades? {
        guard let etcd, let prometheus else { return nil }
        var evidence = try PrometheusAccess(prometheus, environment: environment)
            .evidence(job: job, instances: Set(names))
        evidence.freshness = freshness
        return SharedUpgrades(
            store: try EtcdAccess(etcd, environment: environment).store(prefix: prefix),
            evidence: evidence
        )
    }
}
#endif
