import Foundation

/// Runs every client in turn, round after round.
struct TransportSuite {
    private(set) var samples = Samples()
    private(set) var failures: [String] = []

    private let clients: [TransportClient]
    private let rounds: Int
    private let seconds: Double
    private let build: ClientBuild
    private let server: NginxServer
    private let countsAllocations: Bool

    /// The files that the server has to serve.
    static var files: Set<NginxServer.File> {
        Set(Scenario.all.map { NginxServer.File(name: $0.body, size: $0.size) }).union([
            .init(name: Download.body, size: Download.size)
        ])
    }

    init(clients: [TransportClient], rounds: Int, seconds: Double, server: NginxServer) async throws {
        self.clients = clients
        self.rounds = rounds
        self.seconds = seconds
        #if os(Linux)
        countsAllocations = true
        #else
        countsAllocations = false
        #endif
        self.server = server
        build = try await ClientBuild(of: clients, countsAllocations: countsAllocations)
    }

    mutating func run() async {
        if server.authority == nil { progress("openssl makes no certificate: no figures with TLS") }
        for scenario in scenarios where countsAllocations {
            progress("allocations: \(scenario.name)")
            for client in clients where scenario.measures(client) {
                await attempt(client) { try await $0.countAllocations(of: client, scenario) }
            }
        }
        // The first round warms up.
        for round in 0...rounds {
            let title = round == 0 ? "warm-up" : "round \(round) of \(rounds)"
            // Rotated, so that no client always runs after the same neighbour.
            let shift = clients.isEmpty ? 0 : round % clients.count
            let order = Array(clients[shift...] + clients[..<shift])
            for scenario in scenarios {
                progress("\(title): \(scenario.name)")
                for client in order where scenario.measures(client) {
                    await attempt(client) { try await $0.measure(client, scenario, round: round) }
                }
            }
            progress("\(title): download")
            for client in order where client.streams {
                await attempt(client) { try await $0.download(client, round: round) }
            }
            // These take long, and vary little.
            guard (1...3).contains(round) else { continue }
            progress("\(title): slow download, cancellation")
            for client in order where client.streams {
                await attempt(client) { try await $0.downloadSlowly(client, round: round) }
            }
            for client in order where client.cancels {
                await attempt(client) { try await $0.cancel(client, round: round) }
            }
        }
    }

    private var scenarios: [Scenario] {
        Scenario.all.filter { server.authority != nil || $0.connection == .kept }
    }

    private mutating func attempt(_ client: TransportClient, _ body: (inout TransportSuite) async throws -> Void) async
    {
        do {
            try await body(&self)
        } catch {
            failures.append("\(error)")
            progress("\(error)")
        }
    }

    // MARK: The measurements

    private mutating func measure(_ client: TransportClient, _ scenario: Scenario, round: Int) async throws {
        let duration = round == 0 ? min(0.2, seconds) : seconds
        let run = requests(client, scenario, ["warm": min(0.2, seconds), "seconds": duration])
        let figures = try await figures(of: run)
        guard round > 0, let requests = figures["requests"], requests > 0 else { return }
        add(figures["seconds"].map { requests / $0 }, scenario.rate, client, round)
        add(figures["processor"].map { $0 / requests * 1e6 }, scenario.processor, client, round)
        add(figures["p50"], scenario.median, client, round)
        add(figures["p99"], scenario.tail, client, round)
        add(figures["peak"].map { $0 / 1024 }, scenario.peak, client, round)
    }

    private mutating func countAllocations(of client: TransportClient, _ scenario: Scenario) async throws {
        let counts = scenario.counts
        let few = try await allocations(of: client, scenario, requests: counts.few)
        let many = try await allocations(of: client, scenario, requests: counts.many)
        add(Double(many - few) / Double(counts.many - counts.few), scenario.allocations, client, 1)
    }

    private func allocations(
        of client: TransportClient,
        _ scenario: Scenario,
        requests: Int
    ) async throws -> Int {
        let file = FileManager.default.temporaryDirectory.appending(path: "cofferdam-bench-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        let run = self.requests(client, scenario, ["count": requests])
        let environment = ["LD_PRELOAD": build.allocationCounter.path(), "COUNT_ALLOCATIONS_TO": file.path()]
        _ = try await figures(of: run, environment: environment)
        let text = try String(contentsOf: file, encoding: .utf8)
        guard let number = Int(text.trimmingCharacters(in: .whitespacesAndNewlines)) else {
            throw TransportFailure("the allocations of \(client.rawValue) were not counted")
        }
        return number
    }

    private func requests(
        _ client: TransportClient,
        _ scenario: Scenario,
        _ options: KeyValuePairs<String, any CustomStringConvertible>
    ) -> ClientRun {
        let url = server.url(of: scenario.body, over: scenario.connection)
        var run = ClientRun(client, workload: "requests", url: url, options)
        run.set("expected", scenario.size)
        run.set("concurrency", scenario.concurrency)
        if scenario.connection == .shared { run.set("protocol", "h2") }
        if scenario.connection != .kept, let authority = server.authority { run.set("authority", authority) }
        return run
    }

    private mutating func download(_ client: TransportClient, round: Int) async throws {
        let figures = try await figures(of: downloadRun(client, pause: 0))
        guard round > 0 else { return }
        add(figures["seconds"].map { Double(Download.size) / $0 * 1e-9 }, Download.speed, client, round)
        add(figures["processor"].map { $0 * 1e3 }, Download.processor, client, round)
    }

    private mutating func downloadSlowly(_ client: TransportClient, round: Int) async throws {
        let figures = try await figures(of: downloadRun(client, pause: Download.pause))
        add(figures["peak"].map { $0 / 1024 }, Download.peak, client, round)
    }

    private func downloadRun(_ client: TransportClient, pause: Int) -> ClientRun {
        ClientRun(
            client,
            workload: "stream",
            url: server.url(of: Download.body),
            ["expected": Download.size, "pause": pause]
        )
    }

    private mutating func cancel(_ client: TransportClient, round: Int) async throws {
        let silent = try LoopbackListener()
        let run = ClientRun(
            client,
            workload: "cancellation",
            url: "http://127.0.0.1:\(silent.port)/",
            ["concurrency": Cancellation.count]
        )
        let figures = try await figures(of: run)
        add(figures["single.p50"], Cancellation.median, client, round)
        add(figures["single.p99"], Cancellation.tail, client, round)
        add(figures["burst.p99"], Cancellation.burst, client, round)
    }

    private func figures(of run: ClientRun, environment: [String: String] = [:]) async throws -> [String: Double] {
        try await run.figures(of: build, environment: environment, limit: .seconds(seconds + 60))
    }

    private mutating func add(_ value: Double?, _ figure: Samples.Figure, _ client: TransportClient, _ round: Int) {
        if let value { samples.add(value, figure, of: client, round: round) }
    }
}
