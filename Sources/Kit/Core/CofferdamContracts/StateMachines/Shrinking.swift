/// Finds a small program that still fails, in a bounded number of attempts. It first leaves out parts, halves before
/// single commands, then simplifies commands, and repeats both until neither helps.
///
/// Leaving out follows the minimisation of Zeller and Hildebrandt, "Simplifying and Isolating Failure-Inducing Input"
/// (2002).
struct Shrinking<Command: Sendable & Hashable> {
    private(set) var program: [Command]
    private var attempts: Int
    private let simpler: (Command) -> [Command]
    private let fails: ([Command]) async throws -> Bool

    init(
        _ program: [Command],
        attempts: Int,
        simpler: @escaping (Command) -> [Command],
        fails: @escaping ([Command]) async throws -> Bool
    ) {
        self.program = program
        self.attempts = attempts
        self.simpler = simpler
        self.fails = fails
    }

    mutating func run() async throws {
        var before: [Command]
        repeat {
            before = program
            try await leaveOut()
            try await simplify()
        } while program != before
    }

    private mutating func leaveOut() async throws {
        var size = program.count / 2
        while size >= 1 {
            var start = 0
            while start < program.count {
                var candidate = program
                candidate.removeSubrange(start..<min(start + size, program.count))
                if try await !accept(candidate) { start += size }
            }
            size /= 2
        }
    }

    private mutating func simplify() async throws {
        for index in program.indices {
            var candidates = simpler(program[index])
            while let simpler = candidates.first {
                var candidate = program
                candidate[index] = simpler
                candidates = try await accept(candidate) ? self.simpler(simpler) : Array(candidates.dropFirst())
            }
        }
    }

    private mutating func accept(_ candidate: [Command]) async throws -> Bool {
        guard attempts > 0, !candidate.isEmpty else { return false }
        attempts -= 1
        guard try await fails(candidate) else { return false }
        program = candidate
        return true
    }
}
