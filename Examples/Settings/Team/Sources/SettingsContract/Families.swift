import Cofferdam
import CofferdamContracts
import SettingsOperations
import SettingsPorts

extension PortPlace<SettingsSubject, any Settings> {
    static let port = PortPlace(\.port) { Intercepted($0, by: $1) }
}

/// What the kit's families of rules need to know about the port.
enum Families {
    static let profile = GetOperation<SettingsSubject, String, Profile>(
        call: PortCall(SettingsOperations.profile, at: .port),
        errors: GetErrors(
            isNotFound: { if case SettingsError.missing = $0 { true } else { false } },
            decodingPath: { ($0 as? SettingsError)?.key },
            withoutPath: { error in
                guard case SettingsError.invalid(let name, _) = error else { return error }
                return SettingsError.invalid(name: name, reason: .notAProfile)
            }
        ),
        samples: { try await $0.put(Samples.plain) },
        unknown: { subject in
            _ = try await subject.put(Samples.plain)
            return ["", "title", "Whole", "whole.yml"]
        },
        exact: { try await $0.put(Samples.exact) },
        odd: OddDocuments.odd,
        mistakes: GetMistakes(
            fabricated: { Profile(title: $0) },
            losingZeros: { profile in
                var profile = profile
                if profile.fontSize == 0 { profile.fontSize = 12 }
                return profile
            },
            losingDigits: { profile in
                var profile = profile
                profile.launches = Int(Float(profile.launches).nextDown)
                return profile
            }
        )
    )

    static let names: some RuleFamily<SettingsSubject> = ListOperation<SettingsSubject, String>(
        call: PortCall(
            "names",
            get: { subject in
                { query in
                    let page = try await subject.port.names(after: query.cursor, limit: query.limit)
                    return ListPage(items: page.names, next: page.next)
                }
            },
            replace: { subject, list in
                PortPlace.port.replacing(SettingsOperations.names, in: subject) { _, input in
                    let page = try await list(ListQuery(cursor: input.cursor, limit: input.limit))
                    return NamePage(names: page.items, next: page.next)
                }
            }
        ),
        sharedCursors: SharedCursors(malformed: [""]) { subject in
            var other = subject
            other.port = try await subject.elsewhere()
            return other
        },
        isInvalidCursor: { $0 as? SettingsError == .badCursor },
        seed: { subject, count in
            await subject.documents.removeAll()
            return await subject.addProfiles(count, from: 1000)
        },
        setQuirk: { _, _ in },
        expireCursors: { _ in },
        setFailing: { await $0.documents.setFailing($1) },
        grow: { _ = await $0.addProfiles($1, from: 5000) },
        remove: { try await $0.port.remove($1) }
    )
    // The port makes its pages itself, and they are never odd.
    .requiring(harnessCapabilities: ["oddPaging"], in: ["LIST-03", "LIST-04", "LIST-05"])
}

extension SettingsError {
    /// The key of an unreadable document, "" if the reason does not concern a key; nil for another error.
    var key: String? {
        guard case .invalid(_, let reason) = self else { return nil }
        return switch reason {
        case .missingKey(let key), .duplicateKey(let key), .wrongType(let key): key
        case .syntax, .notAProfile: ""
        }
    }
}

extension SettingsSubject {
    /// Replaces all documents by these.
    func put(
        _ samples: [(name: String, document: SampleDocument)]
    ) async throws -> [GetSample<String, Profile>] {
        await documents.removeAll()
        var read: [GetSample<String, Profile>] = []
        for (name, document) in samples {
            await documents.put(document, as: name)
            read.append(GetSample(name, try document.outcome.get()))
        }
        return read
    }

    fileprivate func addProfiles(_ count: Int, from first: Int) async -> [String] {
        let names = (first..<first + count).map { "profile \($0)" }
        for name in names { await documents.put(SampleDocument("title: a\n", Profile(title: "a")), as: name) }
        return names
    }
}
