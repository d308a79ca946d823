import ArgumentParser
import Foundation

struct ServerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "server",
        abstract: "cofferdam-server under the load of many devices, from a load generator in C.",
        discussion: """
            stage.connected   devices that hold an event stream
            memory.perDevice  what each of them costs the server
            evidence.rps      posts per second, sent at a fixed rate whether answers come or not
            evidence.p99ms    from when a post was due until its answer, which comes when the counts are on disk
            evidence.wrk.*    the same from wrk, which sends on each connection as soon as an answer is there
            kill.p99ms        from the order's acknowledgement until a connected device has it
            units.perSecond   units counted, in posts of 500
            evidence.p99ms.full  as evidence.p99ms, with that many units in the database

            `./dev bench server` builds the server and gives its path.
            """
    )

    @Option(help: "The executable cofferdam-server, optimised.")
    var server: String

    @Option(help: "The number of connected devices.")
    var devices = 10_000

    @Option(help: "Posts per second.")
    var rate = 1_000

    @Option(help: "The duration of the posts, in seconds.")
    var seconds = 20

    @Option(help: "The number of units at the end.")
    var units = 1_000_000

    @Flag(help: "Run a hundredth of everything, which shows that it works, not how fast it is.")
    var quick = false

    @Flag(help: "Print the rows instead of the table.")
    var json = false

    @OptionGroup var results: ResultsOptions

    func validate() throws {
        guard devices > 0, rate > 0, seconds > 0, units >= 500 else {
            throw ValidationError("positive numbers are needed, and 500 units")
        }
    }

    func run() async throws {
        let suite = ServerSuite(
            server: server,
            devices: quick ? max(1, devices / 100) : devices,
            rate: quick ? max(1, rate / 10) : rate,
            seconds: quick ? 2 : seconds,
            units: quick ? max(500, units / 100) : units
        )
        let measurements = try await suite.run()
        try results.write(measurements, suite: "server")
        if json {
            print(String(decoding: try ResultsOptions.encode(measurements), as: UTF8.self))
        } else {
            for row in measurements { print(row.line) }
        }
    }
}

extension Measurement {
    fileprivate var line: String {
        let goal = limit.map { ", goal \($0.formatted(decimals: 0))" } ?? ""
        return "\(name): \(value.formatted(decimals: 1)) \(unit)\(goal), \(samples) samples"
    }
}
