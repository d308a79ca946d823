#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The main function of a client's process: reads the options, runs the workload, and prints one figure per line.
public enum Load {
    @concurrent
    public static func run(_ makeClient: @Sendable (LoadOptions) throws -> any LoadClient) async {
        do {
            ProcessUsage.raiseFileLimit()
            let options = try LoadOptions(Array(CommandLine.arguments.dropFirst()))
            let client = try makeClient(options)
            let figures = try await withTaskExecutorPreference(client.executor) {
                switch options.workload {
                case .requests: try await requests(client, options)
                case .stream: try await stream(client, options)
                case .cancellation: try await cancellation(client, options)
                }
            }
            for (name, value) in figures { print(name, value) }
            await client.close()
        } catch {
            let message = Array("\(CommandLine.arguments.first ?? "load"): \(error)\n".utf8)
            _ = write(STDERR_FILENO, message, message.count)
            exit(EXIT_FAILURE)
        }
    }
}

typealias Figures = KeyValuePairs<String, Double>

/// - Parameter part: 0.5 for the median.
func percentile(_ part: Double, of sorted: [some BinaryInteger]) -> Double {
    sorted.isEmpty ? .nan : Double(sorted[Int(Double(sorted.count - 1) * part)])
}
