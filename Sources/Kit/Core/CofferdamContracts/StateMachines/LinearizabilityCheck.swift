import Cofferdam

/// Runs small concurrent programs against an adapter, whose answers must be those of a model in some sequential order
/// of the calls.
///
/// The seed determines the programs but not how their calls interleave: another run with the same seed may find more.
public struct LinearizabilityCheck<Model: StatefulModel>: Sendable {
    let model: Model
    let seed: UInt64
    let programs: Int
    let lanes: Int
    let length: Int

    /// Checks random programs whose lanes run concurrently.
    ///
    /// - Parameters:
    ///   - programs: the number of programs.
    ///   - lanes: the number of tasks that call concurrently.
    ///   - length: the number of commands in each lane. The search is exponential in the total over all lanes; a dozen
    ///     is fine.
    public init(_ model: Model, seed: UInt64 = 1, programs: Int = 10, lanes: Int = 3, length: Int = 3) {
        self.model = model
        self.seed = seed
        self.programs = programs
        self.lanes = lanes
        self.length = length
    }

    /// Runs the check, in the form of a rule's body; returns one violation, or none.
    public func violations(of subject: Model.Subject, _ context: RuleContext) async throws -> [Violation] {
        for index in 0..<programs {
            let seed = self.seed &+ UInt64(index)
            let history = try await history(of: program(of: seed), subject, context)
            let order = history.linearization(from: model.initial) { model.answer(to: $0, in: &$1) }
            if order == nil { return [Violation("\(model.name): seed \(seed), no order explains: \(history)")] }
        }
        return []
    }

    /// The program of a seed: the commands of each lane.
    package func program(of seed: UInt64) -> [[Model.Command]] {
        var random = SeededGenerator(seed: seed)
        var (state, program) = (model.initial, Array(repeating: [Model.Command](), count: lanes))
        for _ in 0..<length {
            for lane in program.indices {
                let command = model.command(in: state, using: &random)
                _ = model.answer(to: command, in: &state)
                program[lane].append(command)
            }
        }
        return program
    }

    /// Runs the program, then the model's observing commands, which overlap with nothing; returns the adapter's
    /// answers.
    private func history(
        of program: [[Model.Command]],
        _ subject: Model.Subject,
        _ context: RuleContext
    ) async throws -> CallHistory<Model.Command, Model.Answer> {
        let session = try await model.begin(subject, context)
        let recorder = Recorder()
        do {
            try await context.within("\(model.name): \(program)") { [model] in
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for lane in program {
                        group.addTask { try await recorder.record(lane, of: model, in: session) }
                    }
                    try await group.waitForAll()
                }
                try await recorder.record(model.observing, of: model, in: session)
            }
        } catch {
            // The first error is the one to report.
            do { try await model.end(session) } catch {}
            throw error
        }
        try await model.end(session)
        return recorder.history
    }

    private final class Recorder: Sendable {
        private let state = Mutex((moment: 0, calls: [CallHistory<Model.Command, Model.Answer>.Call]()))

        var history: CallHistory<Model.Command, Model.Answer> { CallHistory(state.withLock { $0.calls }) }

        func record(_ commands: [Model.Command], of model: Model, in session: Model.Session) async throws {
            for command in commands {
                let began = state.withLock { Self.tick(&$0.moment) }
                let answer = try await model.perform(command, in: session)
                state.withLock { state in
                    let ended = Self.tick(&state.moment)
                    state.calls.append(.init(command, answer: answer, began: began, ended: ended))
                }
            }
        }

        private static func tick(_ moment: inout Int) -> Int {
            moment += 1
            return moment
        }
    }
}
