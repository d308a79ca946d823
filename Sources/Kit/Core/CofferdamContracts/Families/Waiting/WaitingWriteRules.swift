import Cofferdam

extension WaitingWrite {
    /// LIFE-07, and WAIT-01 to WAIT-07.
    public var rules: [Rule<Subject>] {
        let kept = [sentAgain, relaunched, lostAmongKept, refusedAmongKept, ownUser].map { rule in
            guard keeping == nil else { return rule.requiring(harnessCapabilities: reachCapabilities) }
            return rule.inapplicable(because: "what cannot be sent is not kept: see WAIT-01")
        }
        return [repeatedAfterRelaunch, sentOnce.requiring(harnessCapabilities: reachCapabilities)] + kept + [atOnce]
    }

    private var reachCapabilities: Set<HarnessCapability> { reach == nil ? [.unreachability] : [] }

    /// A write that a rule makes.
    private struct Note: Sendable {
        let content: String
        let key: String
    }

    /// The writes to keep: two have equal contents, in another order they differ, and every key is used once in a case.
    private func notes(_ round: Int = 1) -> [Note] {
        ["first", "second", "second"].enumerated().map { Note(content: $1, key: "kept-\(round)-\($0 + 1)") }
    }

    private func write(_ note: Note, _ subject: Subject) async throws -> Entity {
        try await call(subject, draft(note.content, note.key))
    }

    private func write(_ content: String, _ subject: Subject, _ what: String, _ findings: inout Findings) async {
        await findings.expectSuccess("\(call.name) \(what)") {
            try await write(Note(content: content, key: "later-\(content)"), subject)
        }
    }

    /// Makes writes while the vendor cannot be reached.
    ///
    /// - Returns: the subject to go on with, which still does not reach the vendor.
    private func keep(_ notes: [Note], _ subject: Subject, _ findings: inout Findings) async throws -> Subject {
        guard let reach else { throw UnmetRequirements(harnessCapabilities: reachCapabilities) }
        try await vendor.reset(subject)
        try await vendor.signIn(subject)
        let cut = try await reach(subject, false)
        for note in notes {
            await findings.expectError(
                "that the vendor is unreachable",
                "\(call.name) without a vendor",
                where: isUnreachable
            ) { try await write(note, cut) }
        }
        return cut
    }

    private func reached(_ subject: Subject) async throws -> Subject {
        guard let reach else { throw UnmetRequirements(harnessCapabilities: reachCapabilities) }
        return try await reach(subject, true)
    }

    private func expect(
        _ expected: [String],
        of user: String? = nil,
        _ subject: Subject,
        _ what: String,
        _ findings: inout Findings
    ) async throws {
        let user = user ?? vendor.user
        findings.expectEqual(
            try await vendor.contents(subject, user),
            expected,
            "what the vendor holds of \(user), \(what)"
        )
    }

    /// Makes a write again under its key, which the port answers or recognises.
    private func repeated(_ note: Note, _ subject: Subject, _ what: String, _ findings: inout Findings) async {
        do {
            findings.expectEqual(shows(try await write(note, subject)), note.content, "the answer to \(what)")
        } catch {
            findings.expect(isMadeBefore(error), "\(what): expected an answer, got \(error)")
        }
    }

    private var repeatedAfterRelaunch: Rule<Subject> {
        Rule(
            "LIFE-07",
            "A write's key survives a relaunch: repeating the write after a lost answer creates no duplicate",
            harnessCapabilities: opening.relaunchHarnessCapabilities
        ) { subject, _ in
            guard let reopen = opening.reopen else { return [.undescribed(.relaunch, "reopen")] }
            var findings = Findings()
            try await vendor.reset(subject)
            try await vendor.signIn(subject)
            let note = Note(content: "first", key: "lost")
            try await vendor.loseAnswers(subject, true)
            await findings.expectError("an error", "\(call.name), its answer lost", where: { _ in true }) {
                try await write(note, subject)
            }
            try await vendor.loseAnswers(subject, false)
            let other = try await reopen(subject, ())
            await repeated(note, other, "\(call.name), repeated after a relaunch", &findings)
            try await expect(["first"], other, "after the repeat", &findings)
            return findings.violations
        }
    }

    private var sentOnce: Rule<Subject> {
        Rule(
            "WAIT-01",
            "What could not be sent and is kept is sent once, in order, each under its key; what is not kept is never sent"
        ) { subject, _ in
            var findings = Findings()
            let notes = notes()
            let back = try await reached(try await keep(notes, subject, &findings))
            await write("next", back, "with a vendor again", &findings)
            await write("last", back, "with a vendor again", &findings)
            let kept = keeping == nil ? [] : notes.map(\.content)
            try await expect(kept + ["next", "last"], back, "with a vendor again", &findings)
            return findings.violations
        }
    }

    private var sentAgain: Rule<Subject> {
        Rule(
            "WAIT-02",
            "A kept write that is made again under its key creates no second one, whichever it is"
        ) { subject, context in
            var findings = Findings()
            var subject = subject
            for position in notes().indices {
                let notes = notes(position + 1)
                subject = try await reached(try await keep(notes, subject, &findings))
                let what = "\(call.name) of kept write \(position + 1) again"
                await repeated(notes[position], subject, what, &findings)
                for note in notes { await repeated(note, subject, "\(what), and all of them", &findings) }
                try await expect(notes.map(\.content), subject, "after \(what)", &findings)
            }
            let notes = notes(0)
            let back = try await reached(try await keep(notes, subject, &findings))
            let answers = (notes + notes).map { note in context.task { try await write(note, back) } }
            for answer in answers {
                guard case .failure(let error) = await answer.result else { continue }
                findings.expect(isMadeBefore(error), "\(call.name) of all again at once: got \(error)")
            }
            try await expect(notes.map(\.content), back, "after \(call.name) of all again at once", &findings)
            return findings.violations
        }
    }

    private var relaunched: Rule<Subject> {
        Rule(
            "WAIT-03",
            "Kept writes survive relaunches, before and after the vendor can be reached again",
            harnessCapabilities: opening.relaunchHarnessCapabilities
        ) { subject, _ in
            guard let reopen = opening.reopen else { return [.undescribed(.relaunch, "reopen")] }
            var findings = Findings()
            let notes = notes()
            let cut = try await reopen(try await keep(notes, subject, &findings), ())
            let back = try await reopen(try await reached(cut), ())
            await write("next", back, "after relaunches", &findings)
            try await expect(notes.map(\.content) + ["next"], back, "after relaunches", &findings)
            return findings.violations
        }
    }

    private var lostAmongKept: Rule<Subject> {
        Rule(
            "WAIT-04",
            "Kept writes whose answers are lost are sent again without duplicates, and keep their order"
        ) { subject, _ in
            var findings = Findings()
            let notes = notes()
            let back = try await reached(try await keep(notes, subject, &findings))
            try await vendor.loseAnswers(back, true)
            // It is carried out, whether or not it is answered.
            do { _ = try await write(Note(content: "next", key: "next"), back) } catch { try Task.checkCancellation() }
            try await vendor.loseAnswers(back, false)
            await write("last", back, "after lost answers", &findings)
            // A write may overtake those whose answers are lost.
            let contents = try await vendor.contents(back, vendor.user)
            let kept = Set(notes.map(\.content))
            findings.expectEqual(contents.filter(kept.contains), notes.map(\.content), "the kept writes at the vendor")
            findings.expectEqual(contents.filter { !kept.contains($0) }, ["next", "last"], "the others at the vendor")
            return findings.violations
        }
    }

    private var refusedAmongKept: Rule<Subject> {
        Rule(
            "WAIT-05",
            "A final refusal is reported, and what is refused is kept no longer and holds up none of the others"
        ) { subject, context in
            guard let keeping else { return [] }
            var findings = Findings()
            let notes = notes()
            let cut = try await keep(Array(notes.prefix(1)), subject, &findings)
            let early = await findings.expectError(
                "that the vendor is unreachable, or the refusal",
                "\(call.name) of what will be refused",
                where: { isUnreachable($0) || keeping.isRefused($0) }
            ) { try await call(cut, keeping.refused("kept-refused")) }
            for note in notes.dropFirst() {
                await findings.expectError("an error", "\(call.name) without a vendor", where: isUnreachable) {
                    try await write(note, cut)
                }
            }
            let back = try await reached(cut)
            // Several at once all meet the refusal.
            let what = "after a kept write was refused"
            let nexts = (1...8).map { "next \($0)" }.map { Note(content: $0, key: "later-\($0)") }
            let answers = nexts.map { note in context.task { try await write(note, back) } }
            for answer in answers {
                findings.expectSuccess(of: await answer.result, "\(call.name) \(what)")
            }
            let contents = try await vendor.contents(back, vendor.user)
            let kept = Set(notes.map(\.content))
            findings.expectEqual(contents.filter(kept.contains), notes.map(\.content), "the kept writes \(what)")
            let others = contents.filter { !kept.contains($0) }
            findings.expectEqual(others.sorted(), nexts.map(\.content), "the others \(what)")
            if let early, !keeping.isRefused(early), try await !keeping.isReported(back, "kept-refused") {
                findings.add("a kept write was refused, and the app was not told")
            }
            await findings.expectError("the refusal", "\(call.name) of what is refused", where: keeping.isRefused) {
                try await call(back, keeping.refused("kept-refused"))
            }
            await write("last", back, "after a refusal", &findings)
            try await expect(contents + ["last"], back, "after a refusal", &findings)
            return findings.violations
        }
    }

    private var ownUser: Rule<Subject> {
        Rule(
            "WAIT-06",
            "Kept writes wait for their own user while another one is signed in, and are sent in no other name"
        ) { subject, _ in
            guard let keeping else { return [] }
            var findings = Findings()
            var subject = subject
            for signsOut in [true, false] {
                let what = signsOut ? "after a sign-out" : "after another sign-in"
                let notes = notes(signsOut ? 1 : 2)
                let cut = try await keep(notes, subject, &findings)
                if signsOut { try await keeping.signOut(cut) }
                subject = try await reached(cut)
                try await keeping.signInSecond(subject)
                await write("next", subject, what, &findings)
                try await expect(["next"], of: keeping.secondUser, subject, what, &findings)
                try await vendor.signIn(subject)
                await write("last", subject, "\(what) and back", &findings)
                try await expect(notes.map(\.content) + ["last"], subject, "\(what) and back", &findings)
                try await expect(["next"], of: keeping.secondUser, subject, "\(what) and back", &findings)
            }
            return findings.violations
        }
    }

    private var atOnce: Rule<Subject> {
        Rule(
            "WAIT-07",
            "Two calls at once with one key, also of two instances, have one effect, and both get its answer",
            consults: instances.map { [$0.capability] } ?? [],
            bound: .seconds(5)
        ) { subject, context in
            var findings = Findings()
            try await vendor.reset(subject)
            try await vendor.signIn(subject)
            try await twice("first", on: subject, subject, context, &findings)
            try await expect(["first"], subject, "after two calls at once", &findings)
            guard let instances, context.capabilities.contains(instances.capability) else { return findings.violations }
            let other = try await instances.another(subject, ())
            do {
                try await vendor.signIn(other)
                try await twice("second", on: subject, other, context, &findings)
                try await expect(["first", "second"], subject, "after two calls of two instances", &findings)
            } catch {
                try await opening.close(other, ())
                throw error
            }
            try await opening.close(other, ())
            return findings.violations
        }
    }

    /// Makes the same write on both subjects, the second time while the vendor holds the first.
    private func twice(
        _ content: String,
        on one: Subject,
        _ other: Subject,
        _ context: RuleContext,
        _ findings: inout Findings
    ) async throws {
        let note = Note(content: content, key: "at once-\(content)")
        try await vendor.hold(one)
        let first = try await vendor.held.start({ try await write(note, one) }, call.name, of: one, context)
        let second = context.task { try await write(note, other) }
        defer {
            first.cancel()
            second.cancel()
        }
        // The second one may wait for the first, or reach the vendor before it; meanwhile the vendor is asked.
        let contents = try await vendor.contents(one, vendor.user).filter { $0 == content }
        findings.expect(
            contents.count <= 1,
            "\(call.name), twice at once: \(contents.count) before the first is answered"
        )
        try await vendor.held.release(one)
        let answers = [
            try await context.within("the first of two calls ends") { await first.result },
            try await context.within("the second of two calls ends") { await second.result.map { $0 as any Sendable } },
        ]
        var entities: Set<Entity> = []
        for answer in answers {
            switch answer {
            case .success(let entity): if let entity = entity as? Entity { entities.insert(entity) }
            case .failure(let error):
                findings.expect(isMadeBefore(error), "\(call.name), twice at once: expected an answer, got \(error)")
            }
        }
        findings.expectEqual(entities.count, 1, "\(call.name), twice at once: how many different answers")
    }
}
