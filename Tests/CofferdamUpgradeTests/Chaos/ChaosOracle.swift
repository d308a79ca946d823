import CofferdamUpgrade

/// Finds violations in the ledgers and in the log, whichever process wrote them.
struct ChaosOracle {
    let ledgers: ChaosLedgers
    let store: any UpgradeStore

    func violations() async throws -> [String] {
        let feed = FeedOracle(feed: try ledgers.feed.lines(), received: try ledgers.received.lines())
        return try ledgers.violations.lines().map { $0.joined(separator: " ") } + (try writes()) + (try await log())
            + (try processes()) + feed.violations
    }

    /// A description of what was checked, for people.
    var summary: String {
        get throws {
            let feed = FeedOracle(feed: try ledgers.feed.lines(), received: try ledgers.received.lines())
            return
                "\(try ledgers.backend.lines().count) writes, \(feed.delivered) items delivered, \(feed.moves) moves, \(feed.gaps) gaps"
        }
    }

    /// Each write was carried out once or not at all, as its caller's result says.
    private func writes() throws -> [String] {
        var answers: [String: String] = [:]
        for line in try ledgers.notes.lines() where line.count == 3 { answers[line[0] + " " + line[1]] = line[2] }
        var done: [String: [String]] = [:]
        for line in try ledgers.backend.lines() where line.count == 3 {
            done[line[0] + " " + line[1], default: []].append(line[2])
        }
        var found: [String] = []
        for (write, sides) in done {
            let mayRepeat = write.hasPrefix("put")
            if answers[write] == nil { found.append("\(write) was done without a request") }
            if sides.count > 1, !mayRepeat { found.append("\(write) was done \(sides.count) times: \(sides)") }
            if answers[write] == "not" {
                found.append("\(write) was done by \(sides), and its caller told that it was not")
            }
        }
        for (write, word) in answers where word == "done" && done[write] == nil {
            found.append("\(write) is lost: its caller was told that it is done")
        }
        return found
    }

    /// Each line of the log continues from the one before, the last one matches the stored state, and the log contains
    /// every stage at which a call was made.
    private func log() async throws -> [String] {
        let stored = try await store.read(ChaosRun.capability)
        let entries = try await store.history(of: ChaosRun.capability, last: .max).reversed().map(\.self)
        var found: [String] = []
        var stages: [Int: Stage] = [0: .legacyOnly]
        for (entry, next) in zip(entries, entries.dropFirst()) where entry.after != next.before {
            found.append("the log has a hole between \(entry.id) and \(next.id)")
        }
        let (last, end) = (stored.map(AuditEntry.Position.init), entries.last?.after)
        if last != end || Int(stored?.revision ?? 0) != entries.count {
            found.append(
                "the log ends with its line \(entries.count) at \(String(describing: end)), stored is \(String(describing: stored))"
            )
        }
        for entry in entries { stages[entry.after.epoch] = entry.after.stage }
        for line in try ledgers.seen.lines() where line.count == 2 {
            // A kill switch leads to the first or the last stage, in any epoch.
            let logged = Int(line[0]).flatMap { stages[$0]?.rawValue }
            let isLogged = logged.map { [$0, "legacyOnly", "candidateOnly"].contains(line[1]) } ?? false
            if !isLogged {
                found.append("a call of epoch \(line[0]) at \(line[1]), and the log has \(logged ?? "none")")
            }
        }
        return found
    }

    /// Each process knows how many calls of the candidate the previous one left in flight, and whether there were too
    /// many crashes.
    private func processes() throws -> [String] {
        var open: [String: Int] = [:]
        for line in try ledgers.calls.lines() where line.count == 2 {
            open[line[0], default: 0] += line[1] == "+" ? 1 : -1
        }
        var (found, ends, before): ([String], [Int64], String?) = ([], [], nil)
        for line in try ledgers.processes.lines() where line.count == 4 {
            guard let calls = Int(line[1]), let now = Int64(line[2]) else { continue }
            let left = before.flatMap { open[$0] } ?? 0
            // Some calls were noted and have not reached the vendor.
            if !(left...left + ChaosRun.mostAtOnce).contains(calls) {
                found.append(
                    "\(left) calls of the candidate were under way at the end of \(before ?? "none"), noted are \(calls)"
                )
            }
            var isTooOften = false
            if calls > 0 {
                ends = ends.filter { now - $0 <= 600_000 } + [now]
                isTooOften = ends.count >= 3
                if isTooOften { ends = [] }
            }
            if line[3] != "\(isTooOften)" {
                found.append("too many unclean ends: \(isTooOften), \(line[0]) says \(line[3])")
            }
            before = line[0]
        }
        return found
    }
}
