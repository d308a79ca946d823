import Cofferdam
import CofferdamUpgrade

// snippet: source
/// A flag of the team's own service whose value is the text of a stage, such as `canary(500)`.
struct StageFlag: StageSource {
    let name: String
    /// The flag's value; empty while the service is not reached.
    let value: @Sendable (_ name: String) -> String

    func stage() async throws -> Stage {
        let text = value(name)
        guard !text.isEmpty else { throw StageError(.unavailable, "the flag has no value", subject: name) }
        guard let stage = Stage(rawValue: text) else {
            throw StageError(.unknownStage, "\"\(text)\" is no stage, such as canary(500)", subject: name)
        }
        return stage
    }
}
// end

// snippet: following
/// Moves the app to the flag's stage, now and every minute. Where the flag cannot be read, the stage stays as it is.
///
/// - Throws: only `CancellationError`.
func follow(
    _ source: some StageSource,
    with control: StageControl,
    clock: any Clock<Duration> = ContinuousClock(),
    failed: @Sendable (any Error) -> Void
) async throws {
    while true {
        do {
            try control.move(to: try await source.stage())
        } catch let error as CancellationError {
            throw error
        } catch {
            failed(error)
        }
        try await clock.sleep(for: .seconds(60))
    }
}
// end
