/// Runs random programs of commands against an adapter and a model of it, which must agree after each step.
///
/// The seed determines everything. A program that fails is shrunk, and reported with its own seed: pass that as `seed`,
/// with one program, to get the same program again.
public struct ModelCheck<Model: StatefulModel>: Sendable {
    let model: Model
    let seed: UInt64
    let programs: Int
    let length: Int
    let attempts: Int

    /// Checks random programs, and shrinks one that fails.
    ///
    /// - Parameters:
    ///   - programs: the number of programs.
    ///   - length: the number of commands in a program.
    ///   - attempts: how many smaller programs to try once one has failed.
    public init(_ model: Model, seed: UInt64 = 1, programs: Int = 10, length: Int = 12, attempts: Int = 300) {
        self.model = model
        self.seed = seed
        self.programs = programs
        self.length = length
        self.attempts = attempts
    }

    /// Runs the check, in the form of a rule's body; returns one violation, or none.
    public func violations(of subject: Model.Subject, _ context: RuleContext) async throws -> [Violation] {
        try await failure(of: subject, context).map { [Violation("\(model.name): \($0)")] } ?? []
    }

    /// Returns the first program on which adapter and model disagree; nil if there is none.
    ///
    /// - Throws: what the model's `begin` and `end` throw, and `CancellationError`.
    package func failure(of subject: Model.Subject, _ context: RuleContext) async throws -> ModelFailure<Model.Command>?
    {
        for index in 0..<programs {
            let seed = self.seed &+ UInt64(index)
            let program = self.program(of: seed)
            guard let first = try await disagreement(on: program, subject, context) else { continue }
            let shown = Array(program.prefix(first.step + 1))
            // A command that hangs would hang in every attempt.
            if first.isEndless {
                return ModelFailure(seed: seed, program: shown, minimal: shown, disagreement: first.text)
            }
            var shrinking = Shrinking(shown, attempts: attempts, simpler: { model.simpler(than: $0) }) {
                try await disagreement(on: $0, subject, context) != nil
            }
            try await shrinking.run()
            let last = try await disagreement(on: shrinking.program, subject, context)
            return ModelFailure(
                seed: seed,
                program: shown,
                minimal: shrinking.program,
                disagreement: last?.text ?? "\(first.text); not every time"
            )
        }
        return nil
    }

    /// The program of a seed.
    package func program(of seed: UInt64) -> [Model.Command] {
        var random = SeededGenerator(seed: seed)
        var state = model.initial
        return (0..<length).map { _ in
            let command = model.command(in: state, using: &random)
            _ = model.answer(to: command, in: &state)
            return command
        }
    }

    private struct Disagreement {
        let step: Int
        let text: String
        var isEndless = false
    }

    private func disagreement(
        on program: [Model.Command],
        _ subject: Model.Subject,
        _ context: RuleContext
    ) async throws -> Disagreement? {
        let session = try await model.begin(subject, context)
        var state = model.initial
        var found: Disagreement?
        do {
            for (step, command) in program.enumerated() where found == nil {
                for command in [command] + model.observing where found == nil {
                    found = try await disagreement(on: command, at: step, &state, session, context)
                }
            }
        } catch {
            // The first error is the one to report.
            do { try await model.end(session) } catch {}
            throw error
        }
        try await model.end(session)
        return found
    }

    private func disagreement(
        on command: Model.Command,
        at step: Int,
        _ state: inout Model.State,
        _ session: Model.Session,
        _ context: RuleContext
    ) async throws -> Disagreement? {
        let expected = model.answer(to: command, in: &state)
        do {
            let answer = try await context.within("\(command)") { try await model.perform(command, in: session) }
            if answer == expected { return nil }
            return Disagreement(step: step, text: "\(command): expected \(expected), got \(answer)")
        } catch let error as BoundExceeded {
            return Disagreement(step: step, text: error.description, isEndless: true)
        } catch {
            try Task.checkCancellation()
            return Disagreement(step: step, text: "\(command): expected \(expected), threw \(error)")
        }
    }
}

/// A program on which an adapter and its model disagree.
package struct ModelFailure<Command: Sendable & Hashable>: Sendable, Hashable, CustomStringConvertible {
    /// The seed of this one program.
    package let seed: UInt64
    /// The program as it was drawn, up to the step that failed.
    package let program: [Command]
    /// The smallest failing program that was found.
    package let minimal: [Command]
    /// How adapter and model disagree on the minimal program.
    package let disagreement: String

    package var description: String {
        "seed \(seed), \(minimal.count) of \(program.count) commands are enough: "
            + "\(minimal.map { "\($0)" }.joined(separator: "; ")): \(disagreement)"
    }
}
