#if Sandbox
import ArgumentParser
import Logging
import MenagerieService
import UnixSignals

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

@main
struct MenagerieServiceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "menagerie-service",
        abstract: "Runs the simulated vendor's backend until it is interrupted.",
        discussion: """
            Prints the address it listens on to standard output, as one line; logs to standard error.

            Examples:
              menagerie-service
              menagerie-service --port 8080 --seed 7
              menagerie-service --port 0 --control
              menagerie-service --animals 1000000
              swift run --traits SDKv1,SQLite menagerie-service --database zoo.sqlite
              curl -H 'X-Menagerie-Key: any' http://127.0.0.1:8080/v1/animals/102
            """
    )

    @Option(help: "The port to listen on; 0 for any free one.")
    var port = 8080

    @Option(help: "The address to listen on.")
    var host = "127.0.0.1"

    @Option(help: "The seed of the world's data and of the tokens.")
    var seed: UInt64 = 1

    @Flag(help: "Offer the control interface, /control/…, on the loopback.")
    var control = false

    @Option(help: "The number of animals in addition to the zoo's.")
    var animals = 0

    @Option(help: "The SQLite file for the world (trait SQLite). (default: in memory)")
    var database: String?

    @Option(help: "The time at which the clock is frozen, in seconds since 1970. (default: the machine's clock)")
    var frozenClock: Int64?

    func validate() throws {
        guard (0...maximumAnimals).contains(animals) else {
            throw ValidationError("--animals must be between 0 and \(maximumAnimals).")
        }
        guard (0..<250_000_000_000).contains(frozenClock ?? 0) else {
            throw ValidationError("The clock must be between 1970 and the year 9892.")
        }
        guard (0...65_535).contains(port) else { throw ValidationError("The port must be between 0 and 65535.") }
    }

    func run() async throws {
        let service = try await startService(
            ServiceConfiguration(
                port: port,
                host: host,
                seed: seed,
                control: control,
                animals: animals,
                database: database,
                clock: frozenClock.map { .frozen(secondsSince1970: $0) } ?? .machine
            ),
            logger: Logger(label: "menagerie-service", factory: StreamLogHandler.standardError(label:))
        )
        print(service.url)
        // Flushes, so that a pipe receives the line now and not when the process ends.
        fflush(nil)
        for await _ in await UnixSignalsSequence(trapping: .sigint, .sigterm) { break }
        await service.stop()
    }
}
#else
import CofferdamSupport

@main
enum MenagerieServiceCommand {
    static func main() { MissingTrait("Example").end() }
}
#endif
