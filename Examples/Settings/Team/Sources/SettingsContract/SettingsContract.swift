import Cofferdam
import CofferdamContracts
import SettingsOperations
import SettingsPorts

/// The contract of ``Settings``: the kit's families, and the rules that YAML makes necessary.
public enum SettingsContract {
    public static let rules: [Rule<SettingsSubject>] =
        Rule.each([("profile", Families.profile.rules), ("names", Families.names.rules)])
        + SettingsModel.operation.rules + Documents.all.map(\.rule) + [Saving.rule, Secrecy.rule, Failing.rule]

    /// The mutants, which show that each rule can fail.
    public static let mutants: [Mutant<SettingsSubject>] =
        Mutant.each([("profile", Families.profile.mutants), ("names", Families.names.mutants)])
        + SettingsModel.operation.mutants + Documents.all.map(\.mutant) + [
            Saving.mutant, Secrecy.mutant, Failing.mutant,
        ]
}

/// A rule on documents that people have written, and the mutant that breaks it.
private struct Documents: Sendable {
    let rule: Rule<SettingsSubject>
    let mutant: Mutant<SettingsSubject>

    private init(
        _ id: RuleID,
        _ promise: String,
        _ samples: [(name: String, document: SampleDocument)],
        mutant: String,
        answering: @escaping @Sendable (Result<Profile, any Error>) throws -> Profile
    ) {
        rule = Rule(id, promise) { subject, _ in
            var findings = Findings()
            await subject.documents.removeAll()
            for (name, document) in samples {
                await subject.documents.put(document, as: name)
                let read: Result<Profile, InvalidDocument>
                do {
                    read = .success(try await subject.port.profile(named: name))
                } catch SettingsError.invalid(let invalid, let reason) {
                    findings.expectEqual(invalid, name, "the name in the error")
                    read = .failure(reason)
                }
                findings.expectEqual("\(read)", "\(document.outcome)", name)
            }
            return findings.violations
        }
        self.mutant = Mutant(id, mutant) { subject, effect in
            PortPlace.port.replacing(SettingsOperations.profile, in: subject) { clean, name in
                let answer: Result<Profile, any Error>
                do { answer = .success(try await clean(name)) } catch { answer = .failure(error) }
                effect.occurred()
                return try answering(answer)
            }
        }
    }

    static let all = [
        Documents(
            "settings/SET-01",
            "A text in quotes is that text, also when it is empty or looks like nothing",
            Samples.quotedTexts,
            mutant: "takes an empty note for none"
        ) { answer in
            var profile = try answer.get()
            if profile.note == "" { profile.note = nil }
            return profile
        },
        Documents(
            "settings/SET-02",
            "A Boolean in quotes is read as one",
            Samples.quotedBooleans,
            mutant: "takes a Boolean in quotes for false"
        ) { answer in
            var profile = try answer.get()
            profile.isBeta = false
            return profile
        },
        Documents(
            "settings/SET-03",
            "A number in quotes is refused, and the error names its key",
            Samples.quotedNumbers,
            mutant: "takes a number in quotes for 0"
        ) { answer in
            do { return try answer.get() } catch SettingsError.invalid { return Profile(title: "a") }
        },
        Documents(
            "settings/SET-04",
            "A key that is given twice is refused, and the error names it",
            Samples.duplicates,
            mutant: "takes the last value of a key that is given twice"
        ) { answer in
            do { return try answer.get() } catch SettingsError.invalid { return Profile(title: "b") }
        },
        Documents(
            "settings/SET-05",
            "A document that is no profile is refused, and the error says why and where",
            Samples.broken,
            mutant: "does not say why"
        ) { answer in
            do { return try answer.get() } catch SettingsError.invalid(let name, _) {
                throw SettingsError.invalid(name: name, reason: .notAProfile)
            }
        },
    ]
}

private enum Saving {
    static let rule = Rule<SettingsSubject>(
        "settings/SET-06",
        "What was saved is read again, value by value; what cannot be is refused"
    ) { subject, _ in
        var findings = Findings()
        await subject.documents.removeAll()
        for profile in Samples.saved {
            try await subject.port.save(profile, as: "saved")
            findings.expectEqual(try await subject.port.profile(named: "saved"), profile, "\(profile)")
        }
        let merging = Profile(title: "a", shortcuts: ["<<": "merge"])
        await findings.expectError(
            "cannotSave",
            "\(merging)",
            where: { $0 as? SettingsError == .cannotSave(key: "<<") }
        ) {
            try await subject.port.save(merging, as: "saved")
        }
        return findings.violations
    }

    static let mutant = Mutant<SettingsSubject>("settings/SET-06", "trims texts") { subject, effect in
        PortPlace.port.replacing(SettingsOperations.save, in: subject) { clean, input in
            var input = input
            if let note = input.profile.note, note.hasPrefix(" ") {
                effect.occurred()
                input.profile.note = String(note.drop { $0 == " " })
            }
            try await clean(input)
        }
    }
}

private enum Secrecy {
    private static let secret = "hunter2"
    private static let documents = [
        "title: a\nlaunches: \(secret)\n", "title: a\ntags: [\(secret)\n", "\(secret)\n",
        "title: a\nnote: *\(secret)\n",
        "title: \(secret)\ntitle: \(secret)\n", "title: a\nisBeta: \(secret)\n",
    ]

    static let rule = Rule<SettingsSubject>(
        "settings/SET-07",
        "An error shows nothing of a document's values"
    ) { subject, _ in
        var findings = Findings()
        await subject.documents.removeAll()
        for text in documents {
            await subject.documents.put(SampleDocument(text, .notAProfile), as: "secret")
            do {
                _ = try await subject.port.profile(named: "secret")
                findings.add("expected an error")
            } catch {
                findings.expect(!String(reflecting: error).contains(secret), "the error shows the document")
            }
        }
        return findings.violations
    }

    static let mutant = Mutant<SettingsSubject>("settings/SET-07", "shows the document in its error") {
        subject,
        effect in
        PortPlace.port.replacing(SettingsOperations.profile, in: subject) { clean, name in
            do { return try await clean(name) } catch SettingsError.invalid(let name, _) {
                effect.occurred()
                throw SettingsError.invalid(name: name, reason: .wrongType(key: secret))
            }
        }
    }
}

private enum Failing {
    static let rule = Rule<SettingsSubject>(
        "settings/SET-08",
        "What the store throws reaches the caller, and nothing is lost"
    ) { subject, _ in
        var findings = Findings()
        await subject.documents.removeAll()
        let kept = Profile(title: "kept")
        try await subject.port.save(kept, as: "kept")
        await subject.documents.setFailing(true)
        func expectFailure<Value>(_ what: String, _ call: () async throws -> Value) async {
            await findings.expectError("StoreFailure", what, where: { $0 is StoreFailure }, call)
        }
        await expectFailure("profile") { try await subject.port.profile(named: "kept") }
        await expectFailure("save") { try await subject.port.save(Profile(title: "lost"), as: "kept") }
        await expectFailure("remove") { try await subject.port.remove("kept") }
        await expectFailure("names") { try await subject.port.names(after: nil, limit: 10) }
        await subject.documents.setFailing(false)
        findings.expectEqual(try await subject.port.profile(named: "kept"), kept, "after the failures")
        return findings.violations
    }

    static let mutant = Mutant<SettingsSubject>("settings/SET-08", "takes a failing store for an empty one") {
        subject,
        effect in
        PortPlace.port.replacing(SettingsOperations.names, in: subject) { clean, input in
            do { return try await clean(input) } catch is StoreFailure {
                effect.occurred()
                return NamePage(names: [], next: nil)
            }
        }
    }
}
