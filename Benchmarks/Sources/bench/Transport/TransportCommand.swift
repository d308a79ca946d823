import ArgumentParser
import Foundation

struct TransportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "transport",
        abstract: "CurlClient against C over libcurl, URLSession and async-http-client, at nginx on loopback.",
        discussion: """
            The rows are named FIGURE.SCENARIO.CLIENT: rps (requests per second), p50 and p99 (latency), cpu (user and \
            system time for each request), alloc (blocks for each request), peak (memory of the process); 2KB and 200KB \
            over HTTP/1.1 kept alive at 1, 16 and 64 in flight, h2 over one HTTP/2 connection, tls with a new connection \
            for each request, tls.resumed with one that may resume its TLS session. Beside them stream.256MB and cancel, the latter from cancel() to the throwing. Where the \
            client is not named it is 'default', CurlClient with its callers on Swift's own pool.

            Every ratio is the median of the rounds' own ratios.
            """
    )

    @Option(help: "The number of measurements of each client, after a warm-up; the result is the median.")
    var rounds: Int?

    @Option(help: "The duration of one measurement.")
    var seconds: Double?

    @Option(
        help: "The clients to measure, separated by commas.",
        transform: { text in
            try text.split(separator: ",").map { name in
                guard let client = TransportClient(rawValue: String(name)) else {
                    let names = TransportClient.allCases.map(\.rawValue).joined(separator: ", ")
                    throw ValidationError("there is no client '\(name)'; there are \(names)")
                }
                return client
            }
        }
    )
    var only: [TransportClient] = TransportClient.allCases

    @Flag(help: "Run one short round, which shows that everything works, not how fast it is.")
    var quick = false

    @Flag(help: "Print the rows instead of the table.")
    var json = false

    @OptionGroup var results: ResultsOptions

    func validate() throws {
        guard rounds ?? 1 > 0, seconds ?? 1 > 0 else { throw ValidationError("a positive number is needed") }
    }

    func run() async throws {
        // Started first, so that a missing nginx is reported before the clients are built.
        let suite = try await NginxServer.with(files: TransportSuite.files) { server in
            var suite = try await TransportSuite(
                clients: TransportClient.allCases.filter(only.contains),
                rounds: rounds ?? (quick ? 1 : 5),
                seconds: seconds ?? (quick ? 0.2 : 1),
                server: server
            )
            await suite.run()
            return suite
        }
        let measurements = suite.samples.measurements
        try results.write(measurements, suite: "transport")
        if json {
            print(String(decoding: try ResultsOptions.encode(measurements), as: UTF8.self))
        } else {
            TransportTable(samples: suite.samples).print()
        }
        if !suite.failures.isEmpty { throw TransportFailure("\(suite.failures.count) measurements failed, see above") }
    }
}
