import Cofferdam
import CofferdamRehearsal
import CofferdamUpgrade
import Foundation
import SettingsContract
import SettingsOperations
import SettingsPorts
import SettingsSDK

/// The upgrade under traffic: both sides' libraries in this process, on the same documents.
func settingsScenarios() -> ScenarioRunner {
    ScenarioRunner { walk in
        let folder = FileManager.default.temporaryDirectory.appending(path: "settings-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let documents = RecordedDocuments()
        let sides = SettingsSides(in: sidesFolder, store: documents)
        // The shadow's writes must not reach the users' documents.
        let shadow = SettingsSides(in: sidesFolder, store: ShadowDocuments(of: documents))
        for (name, document) in readable { await documents.put(document.text, as: name) }
        return try await walk(
            RehearsedUpgrade(
                capability: SettingsUpgrade.capability,
                directory: folder.path(percentEncoded: false),
                operations: traffic,
                failures: ErrorClassifier(
                    meaning: { ($0 as? RehearsedFault)?.meaning ?? ErrorClassifier.settings.meaning($0) },
                    kind: ErrorClassifier.settings.kind
                ),
                failure: { RehearsedFault(meaning: $0) },
                open: { instance in
                    switch instance {
                    case .legacy: try await sides.v1()
                    case .candidate: try await sides.v2()
                    case .shadowCandidate: try await shadow.v2()
                    }
                },
                close: { _ in },
                routed: { router, session, settings in
                    Intercepted(source: router.route(for: session, settings: settings) { $0 })
                },
                faulty: { Intercepted($0, by: [$1]) },
                written: { await documents.written }
            )
        )
    }
}

/// The error of a side that a scenario has broken.
private struct RehearsedFault: Error {
    var meaning: FailureMeaning
}

/// The samples that are profiles.
private let readable = Dictionary(
    uniqueKeysWithValues: Samples.all.filter { (try? $0.document.outcome.get()) != nil }.map { ($0.name, $0.document) }
)

/// The users' calls: they read, list and save.
private let traffic: [TrafficOperation<any Settings>] = [
    TrafficOperation("profile", .read) { settings, step in
        let name = try step.choice(from: readable.keys.sorted())
        let profile = try await settings.profile(named: name)
        guard let expected = try readable[name]?.outcome.get(), profile == expected else {
            throw WrongValue("\(name) is \(profile)")
        }
    },
    TrafficOperation("names", .walk) { settings, _ in
        var (names, cursor): (Set<String>, String?) = ([], nil)
        repeat {
            let page = try await settings.names(after: cursor, limit: 50)
            names.formUnion(page.names)
            cursor = page.next
        } while cursor != nil
        guard names.isSuperset(of: readable.keys) else { throw WrongValue("\(names.count) names") }
    },
    TrafficOperation("save", .write) { settings, step in
        let name = try step.choice(from: (1...20).map { "saved \($0)" })
        try await settings.save(Profile(title: step.key, note: ""), as: name)
    },
]

/// The users' documents, with a record of every title that was written.
private actor RecordedDocuments: DocumentStore {
    private var texts: [String: String] = [:]
    /// How often each title was written.
    private(set) var written: [String: Int] = [:]

    func text(of name: String) -> String? { texts[name] }

    func put(_ text: String?, as name: String) {
        texts[name] = text
        if let title = text?.firstMatch(of: /title: (\S+)/)?.1 { written[String(title), default: 0] += 1 }
    }

    func names() -> [String] { Array(texts.keys) }
}

/// The documents as the shadow sees them: it reads the users' documents, and keeps its own writes to itself.
private actor ShadowDocuments: DocumentStore {
    private let documents: RecordedDocuments
    private var written: [String: String?] = [:]

    init(of documents: RecordedDocuments) { self.documents = documents }

    func text(of name: String) async throws -> String? {
        if let own = written[name] { return own }
        return await documents.text(of: name)
    }

    func put(_ text: String?, as name: String) { written[name] = .some(text) }

    func names() async throws -> [String] { await documents.names() }
}
