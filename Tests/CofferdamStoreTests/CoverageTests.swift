import Foundation
import Testing

/// Maps the test suites of RocketData and ConsistencyManager, group by group, to our tests. A group for a feature that
/// our design does not have (weak arrays, parsing by a superclass) maps to the tests of its replacement.
@Suite struct CoverageTests {
    private struct Group {
        let name: String
        /// The number of test functions in the original.
        let size: Int
        let tests: [String]

        init(_ name: String, _ size: Int, _ tests: String...) {
            self.name = name
            self.size = size
            self.tests = tests
        }
    }

    private static let consistencyManager = [
        Group(
            "listening",
            8,
            "a change to a child reaches all its ancestors",
            "a released provider is freed, and its delegate is not kept",
            "a change by another provider notifies with its context, the provider's own does not"
        ),
        Group("remove", 2, "a listener can be removed by another one's callback, and by its own"),
        Group(
            "update",
            6,
            "a change to a child reaches all its ancestors",
            "several changes as one update notify once, with their context, and the last value of an id counts",
            "after any program every listener ends with the model's value"
        ),
        Group(
            "update flow",
            2,
            "a removed element is no longer followed, and an old snapshot does not change",
            "a provider that shows another model gets no changes of the previous one"
        ),
        Group("ordering", 1, "a change made in a callback is delivered after it, to all in one order"),
        Group(
            "model updates content",
            13,
            "the changes name updated and deleted models and their ancestors, and no new ones",
            "a removed optional child is left out, and a removed required child removes its parent"
        ),
        Group(
            "delete",
            6,
            "a removed optional child is left out, and a removed required child removes its parent",
            "a projection changes what it shares with the others, and leaves the rest"
        ),
        Group("short circuit", 1, "an equal value notifies no one"),
        Group(
            "batch update",
            1,
            "several changes as one update notify once, with their context, and the last value of an id counts"
        ),
        Group(
            "batch listener",
            4,
            "one of two is affected: its delegate is notified, then the batch, with that one",
            "both are affected by one model, or by two as one update: one call"
        ),
        Group(
            "projections",
            4,
            "a projection changes what it shares with the others, and leaves the rest",
            "a projection's change shows in the others, and one without effect notifies no one"
        ),
        Group(
            "pause",
            15,
            "changes in a pause notify once, with the last context and the net changes",
            "changes that cancel out notify no one",
            "a model that is gone at the end of a pause is reported as deleted",
            "other listeners are notified during a pause, and a paused one can be released",
            "a pause holds while there is no model yet",
            "changes in a pause of the batch notify in one call"
        ),
        Group(
            "global updates listener",
            4,
            "the changes name updated and deleted models and their ancestors, and no new ones",
            "an id can be listened to before its model is set, at any depth"
        ),
        Group(
            "context",
            1,
            "several changes as one update notify once, with their context, and the last value of an id counts"
        ),
        Group(
            "errors",
            2,
            "an unknown id is an error, and sets nothing",
            "an index out of range is an error, and changes nothing"
        ),
        Group(
            "clear and cancel",
            3,
            "after removing everything, later models notify listeners",
            "everything is removed at once: store, providers, cache and reads in progress"
        ),
        Group(
            "races",
            2,
            "a provider that is switched during an update is not overwritten by it",
            "with many writers each listener's values are in order, and end with the last"
        ),
        Group(
            "memory",
            2,
            "a store that keeps observed models removes those without listeners and parents",
            "ids that are no longer shown are no longer registered"
        ),
        Group(
            "data structures",
            21,
            "a listener that is removed frees what it held",
            "after any changes it equals an array, and snapshots do not change"
        ),
    ]

    private static let rocketData = [
        Group("clock", 1, "providers changed by one update were updated at the same time, and times grow"),
        Group(
            "data provider: simple",
            9,
            "a set model is shown, and none after nil",
            "a set model is written once under its id, or on request not at all",
            "a saved model is fetched, shown and followed, without notifying the provider's own delegate",
            "the cache's error is passed on and changes nothing, and the next fetch asks again",
            "a model that is shown or in the store is not read from the cache",
            "a fetch without an id uses the followed one, and is an error if there is none"
        ),
        Group(
            "data provider: consistency",
            13,
            "a change by another provider notifies with its context, the provider's own does not",
            "a change of a child notifies",
            "a removed model disappears, and appears again when it is set",
            "a removed optional child is left out, and a removed required child removes the model",
            "a provider's own edit during an update is not overwritten by it, and wins everywhere",
            "a projection's change shows in the others, and one without effect notifies no one",
            "an id can be listened to before its model is set, at any depth",
            "a miss changes nothing, unless the id is to be listened to"
        ),
        Group("data provider: pause", 1, "two changes in a pause notify once, with the last context"),
        Group(
            "collection: simple",
            12,
            "its list, elements and count are those that were set",
            "a list with a key is written as its ids, and each of its models separately",
            "a saved list is fetched and shown, and not read again",
            "each change is shown at once and notifies only others",
            "a list that was set is not fetched, even an empty one, and a fetch without a key is an error"
        ),
        Group(
            "collection: consistency",
            21,
            "an element that changes elsewhere is updated here, with the context",
            "an element that is removed from the store is removed here",
            "several changes and several removals notify once each, with steps that can be applied",
            "a child's change and removal, and the removal of a required child, show in the row",
            "a new element updates lists that contain it, is followed, and its changed child shows in other rows"
        ),
        Group(
            "shared collections",
            15,
            "a change reaches the siblings at once, with exact steps and context, in one batch call and one write",
            "a list without providers is read, changed and saved; one with providers is not read",
            "an equal list notifies no one, set by a provider or without one",
            "lists of different keys and of different models are separate",
            "a list that another provider sets during a cache read wins, and the key comes with it",
            "a later provider shows the others' list, and a released one is freed"
        ),
        Group(
            "collection: pause",
            4,
            "a paused provider shows all changes at once when it resumes",
            "a pause of the changing provider does not affect the others",
            "changes in a pause that cancel out notify no one",
            "changes in a pause arrive even if the changing provider was released",
            "of several changes in a pause the newest list is shown"
        ),
        Group(
            "batch listener",
            6,
            "one of two is affected: its delegate is notified, then the batch, with that one",
            "both are affected by one model, or by two as one update: one call",
            "an element that came by an update or an insertion and then changes elsewhere notifies",
            "changes in a pause of the batch notify in one call"
        ),
        Group("manager", 7, "models are set with the cache, without it, and from any task, as one update each"),
        Group(
            "change info",
            4,
            "a change that moves an element is a removal and an insertion, any other an update",
            "after any changes it is what sorting and filtering the list would give, and its steps lead there"
        ),
        Group("parsing", 10, "an entry that cannot be decoded is an error that names it"),
        Group(
            "weak collection array",
            14,
            "a later provider shows the others' list, and a released one is freed"
        ),
        // The originals measure updates with equal values; our benchmarks measure the cost of updates.
        Group("performance", 4, "an equal value notifies no one"),
    ]

    /// Returns the names of all tests in this target.
    private static func names() throws -> Set<String> {
        let folder = URL(filePath: #filePath).deletingLastPathComponent()
        guard let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil) else { return [] }
        var names: Set<String> = []
        for case let file as URL in files where file.pathExtension == "swift" {
            let text = try String(contentsOf: file, encoding: .utf8)
            for match in text.matches(of: /@Test(\([^`]*?\))?\s+func\s+`(?<name>[^`]+)`/) {
                names.insert(String(match.name))
            }
        }
        return names
    }

    @Test func `every group of the originals' suites has tests here, which exist`() throws {
        let names = try Self.names()
        #expect(names.count > 100)
        for group in Self.consistencyManager + Self.rocketData {
            #expect(!group.tests.isEmpty, "\(group.name) has none")
            let missing = group.tests.filter { !names.contains($0) }
            #expect(missing.isEmpty, "\(group.name): there are no such tests")
        }
    }

    @Test func `no group is left out`() {
        #expect(Self.consistencyManager.map(\.size).reduce(0, +) == 98)
        // 117, and 4 of its performance.
        #expect(Self.rocketData.map(\.size).reduce(0, +) == 121)
    }
}
