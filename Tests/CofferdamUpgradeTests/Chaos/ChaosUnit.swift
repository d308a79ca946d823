import Cofferdam
import CofferdamSupport
import CofferdamUpgrade
import TestSupport

/// A user who makes one call after the other, and notes each result.
struct ChaosUnit: Sendable {
    let name: String
    let run: ChaosRun
    /// Makes the unit's keys unique, in this process and in later ones.
    let prefix: String

    func work(calls: Int, seed: UInt64) async {
        var dice = Dice(seed: seed)
        var (session, port) = run.session(of: name)
        for number in 0..<calls {
            switch dice.roll(12) {
            case 0: (session, port) = run.session(of: name)
            case 1: session.cutOver()
            case 2: await walk(session, port, pages: dice.roll(5))
            case 3...5:
                await write("put", "\(prefix).\(number)", by: session, cancelling: dice.roll(8) == 0) { [port] in
                    try await port.put($0)
                }
            case 6...7:
                await write("add", "\(prefix).\(number)", by: session, cancelling: dice.roll(8) == 0) { [port] in
                    try await port.add($0)
                }
            case 8:
                await write("enter", "\(prefix).\(number)", by: session, cancelling: false) { [port] in
                    try await port.enter($0)
                }
            default: await read(session, port, number)
            }
            run.progress()
            // A call to an open side never suspends, so the others get their turn here.
            await Task.yield()
        }
    }

    private func read(_ session: UnitSession, _ port: any ChaosPort, _ id: Int) async {
        do {
            let value = try await wait(for: "value", id, by: session) { try await port.value(id) }
            if value != id, value != id + 1 { run.world.report("\(id) is read as \(value)") }
        } catch let error as ZooError {
            if error.meaning == .answer { run.world.report("a read is answered \(error.kind)") }
        } catch {
            run.world.report("a read throws \(error)")
        }
    }

    /// All pages come from one side, or the walk ends.
    private func walk(_ session: UnitSession, _ port: any ChaosPort, pages: Int) async {
        var (request, sides) = (ChaosRequest(), Set<Side>())
        for expected in 1...(pages + 1) {
            do {
                let page = try await wait(for: "page", expected, by: session) { [request] in
                    try await port.page(request)
                }
                sides.insert(page.side)
                if page.items != [expected] { run.world.report("page \(expected) is \(page.items)") }
                guard let next = page.next else { break }
                request.cursor = next
            } catch let error as ZooError where error.kind != "foreignCursor" {
                break
            } catch {
                run.world.report("a walk throws \(error)")
            }
        }
        if sides.count > 1 { run.world.report("a walk changed its side") }
    }

    private func write(
        _ operation: String,
        _ key: String,
        by session: UnitSession,
        cancelling: Bool,
        _ body: @escaping @Sendable (String) async throws -> Void
    ) async {
        run.ledgers.notes.add(operation, key, "begun")
        let task = Task { try await body(key) }
        if cancelling {
            await Task.yield()
            task.cancel()
        }
        switch await wait(for: operation, key, by: session, { await task.result }) {
        case .success: run.ledgers.notes.add(operation, key, "done")
        case .failure(let error as ZooError):
            switch error.meaning {
            case .unsent, .failed: run.ledgers.notes.add(operation, key, "not")
            case .outcomeUnknown: break
            case .answer: run.world.report("\(operation) \(key) is answered \(error.kind)")
            }
        // The call was cancelled; it may have been carried out.
        case .failure(is CancellationError): break
        case .failure(let error): run.world.report("\(operation) \(key) throws \(error)")
        }
    }

    private func wait<Value>(
        for operation: String,
        _ input: some CustomStringConvertible,
        by session: UnitSession,
        _ body: () async throws -> Value
    ) async rethrows -> Value {
        try await run.open.wait(for: operation, input, by: session, at: run.control, body)
    }
}
