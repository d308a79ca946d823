import CofferdamContracts
import SettingsPorts

/// Three documents of which the second is odd, for the rules on odd payloads.
enum OddDocuments {
    static let odd = OddPayloads<SettingsSubject, String, Profile>(
        seed: PortCall(
            "odd documents",
            get: { $0.seedOdd },
            replace: { subject, seed in
                var subject = subject
                subject.seedOdd = seed
                return subject
            }
        ),
        requiredField: "title",
        unknownValue: ("solarized", shown: { $0.themed("solarized") }),
        isUnknown: { if case .other = $0.theme { true } else { false } },
        promises: { _ in
            [
                FieldPromise(.missing(field: "note"), .shown { $0.noted(nil) }),
                FieldPromise(.null(field: "note"), .shown { $0.noted(nil) }),
                FieldPromise(.empty(field: "note"), .shown { $0.noted("") }),
                FieldPromise(.empty(field: "theme"), .shown { $0.themed("") }),
                FieldPromise(.empty(field: "launches"), .refused(path: "launches")),
            ]
        }
    )

    private static let profile = Profile(title: "odd", theme: .dark, note: "a note")

    static func seed(
        _ oddity: PayloadOddity,
        _ documents: any SampleDocuments
    ) async throws -> OddSeed<String, Profile> {
        await documents.removeAll()
        var samples: [GetSample<String, Profile>] = []
        for name in ["first", "odd", "third"] {
            let document =
                name == "odd" ? try document(oddity) : SampleDocument("title: \(name)\n", Profile(title: name))
            await documents.put(document, as: name)
            samples.append(GetSample(name, name == "odd" ? profile : Profile(title: name)))
        }
        return OddSeed(samples, odd: 1)
    }

    private static func document(_ oddity: PayloadOddity) throws -> SampleDocument {
        func lines(theme: String? = "theme: dark", note: String? = "note: a note") -> String {
            (["title: odd", theme, note].compactMap(\.self) + [""]).joined(separator: "\n")
        }
        return switch oddity {
        case .extraField: SampleDocument(lines() + "extra: [1, {a: b}]\n", profile)
        case .missing("title"): SampleDocument("theme: dark\nnote: a note\n", .missingKey("title"))
        case .missing("note"): SampleDocument(lines(note: nil), profile.noted(nil))
        case .null("note"): SampleDocument(lines(note: "note: ~"), profile.noted(nil))
        case .empty("note"): SampleDocument(lines(note: "note: ''"), profile.noted(""))
        case .empty("theme"): SampleDocument(lines(theme: "theme: ''"), profile.themed(""))
        case .empty("launches"): SampleDocument(lines() + "launches: ''\n", .wrongType(key: "launches"))
        case .unknownValue(let value): SampleDocument(lines(theme: "theme: \(value)"), profile.themed(value))
        default: throw UnmetRequirements(harnessCapabilities: [HarnessCapability(rawValue: "\(oddity)")])
        }
    }
}

extension Profile {
    fileprivate func noted(_ note: String?) -> Profile {
        var profile = self
        profile.note = note
        return profile
    }

    fileprivate func themed(_ theme: String) -> Profile {
        var profile = self
        profile.theme = .other(theme)
        return profile
    }
}
