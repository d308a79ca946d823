import Foundation
import Testing

/// RocketData's and ConsistencyManager's suites, group by group, and which of our tests say the same. A group that goes beyond
/// what our design has (weak arrays, parsing by a superclass) is held by the tests of what stands in its place.
@Suite struct CoverageTests {
    private struct Group {
        let name: String
        /// How many functions the original has.
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
            "a change to what is inside reaches all that hold it, however deep",
            "a released provider is freed, and its delegate is not kept",
            "another one's change is told with its context, and one's own is not"
        ),
        Group("remove", 2, "a listener can be removed by another one's callback, and by its own"),
        Group(
            "update",
            6,
            "a change to what is inside reaches all that hold it, however deep",
            "several changes as one are told once, with their context, and the last value of an id counts",
            "after any program every listener ends with the model's truth"
        ),
        Group(
            "update flow",
            2,
            "what left the list is no longer followed, and an old snapshot stays what it was",
            "a provider that shows another model hears nothing of the one before"
        ),
        Group("ordering", 1, "a change made in a callback is delivered after it, to all in one order"),
        Group(
            "model updates content",
            13,
            "the changes name what has other values and what is gone, with all that holds it, and nothing new",
            "what is removed is left out where it may be missing, and takes with it what needs it"
        ),
        Group(
            "delete",
            6,
            "what is removed is left out where it may be missing, and takes with it what needs it",
            "a projection changes what it knows in the others, and leaves the rest"
        ),
        Group("short circuit", 1, "an equal value is not told"),
        Group(
            "batch update",
            1,
            "several changes as one are told once, with their context, and the last value of an id counts"
        ),
        Group(
            "batch listener",
            4,
            "one of two is affected: its delegate is told, then the batch, with that one",
            "both are affected by one model, or by two as one update: one call"
        ),
        Group(
            "projections",
            4,
            "a projection changes what it knows in the others, and leaves the rest",
            "a projection's change shows in the others, and one that shows nothing new is not told"
        ),
        Group(
            "pause",
            15,
            "changes are told once, with the last context and the net changes",
            "what cancels out is not told",
            "what is gone at the end is told as deleted, whatever happened to it before",
            "others are told meanwhile, and a paused one can be released",
            "a pause holds while there is no model yet",
            "what changes in a pause of the batch is told in one call"
        ),
        Group(
            "global updates listener",
            4,
            "the changes name what has other values and what is gone, with all that holds it, and nothing new",
            "an id can be listened to before there is a model, at any depth of what is set"
        ),
        Group(
            "context",
            1,
            "several changes as one are told once, with their context, and the last value of an id counts"
        ),
        Group(
            "errors",
            2,
            "an id that is not there is an error, and sets nothing",
            "an index that is not there is an error, and changes nothing"
        ),
        Group(
            "clear and cancel",
            3,
            "everything can be taken out, and what is set later is heard of",
            "everything is forgotten at once: store, providers and cache, and what is under way"
        ),
        Group(
            "races",
            2,
            "a provider that is switched during an update is not overwritten by it",
            "with many writers each listener's values grow, and end with the truth"
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
            "after any changes it is what an array is, and snapshots stay what they were"
        ),
    ]

    private static let rocketData = [
        Group("clock", 1, "providers changed by one update were updated at the same time, and times grow"),
        Group(
            "data provider: simple",
            9,
            "what is set is shown, and nothing again after nothing was set",
            "what is set is written once under its id, and not if that is not wanted",
            "what was kept is fetched, shown and followed, without a word to one's own delegate",
            "the cache's error is passed on and changes nothing, and the next fetch asks again",
            "what is shown, or known to the store, is not asked of the cache",
            "without an id it fetches what it listens to, and without that it is an error"
        ),
        Group(
            "data provider: consistency",
            13,
            "another one's change is told with its context, and one's own is not",
            "a change of what is inside is told",
            "what is removed is shown no longer, and shown again when it comes back",
            "a child that may be missing is left out when it is removed, and one that is needed takes the model with it",
            "an own edit during an update is not overwritten by it, and wins everywhere",
            "a projection's change shows in the others, and one that shows nothing new is not told",
            "an id can be listened to before there is a model, at any depth of what is set",
            "a miss changes nothing, unless the id is to be listened to"
        ),
        Group("data provider: pause", 1, "two changes in a pause are told once, with the last context"),
        Group(
            "collection: simple",
            12,
            "its list, elements and count are those that were set",
            "a list is written as its ids, and its models each by itself; one without a key is not",
            "what was kept is fetched and shown, and not asked for again",
            "each change is shown at once and notifies only others",
            "a list that was set is not fetched, an empty one neither, and one without a key is an error"
        ),
        Group(
            "collection: consistency",
            21,
            "an element that changes elsewhere is updated here, with the context",
            "an element that is removed from the store is removed here",
            "several changes and several removals are told at once each, in steps that can be followed",
            "a child's change, removal, and the removal of one that is needed, show in the row",
            "an element that comes in changes those of others that hold it, is followed, and its changed child shows in other rows"
        ),
        Group(
            "shared collections",
            15,
            "one's change is the others' at once, with exact changes and context, in one batch call and one write",
            "a list without providers is read, changed and saved; one with providers is not read",
            "an equal list is not told, set by a provider or by none",
            "lists of different keys, and of different models, are apart",
            "a list that another sets while the cache is asked wins over the answer, and the key comes with it",
            "who comes later shows what the others show, and one that was released is freed"
        ),
        Group(
            "collection: pause",
            4,
            "a paused provider shows nothing of it until it goes on, and then all at once",
            "a pause of who changes it has no influence on the others",
            "changes in a pause that cancel out notify no one",
            "what was changed in a pause comes though who changed it has gone",
            "of several changes in a pause the newest list is shown"
        ),
        Group(
            "batch listener",
            6,
            "one of two is affected: its delegate is told, then the batch, with that one",
            "both are affected by one model, or by two as one update: one call",
            "what was put in by an update or an insertion, and changes elsewhere then, is told",
            "what changes in a pause of the batch is told in one call"
        ),
        Group("manager", 7, "models are set with the cache, without it, and from any task, as one update each"),
        Group(
            "change info",
            4,
            "a change that moves an element is told as its removal and insertion, another one as an update",
            "after any changes it is what sorting and filtering the list would give, and its steps lead there"
        ),
        Group("parsing", 10, "an entry that is no such model is an error that names it"),
        Group(
            "weak collection array",
            14,
            "who comes later shows what the others show, and one that was released is freed"
        ),
        // They measure updates by equal values; what an update costs is the benchmarks' matter.
        Group("performance", 4, "an equal value is not told"),
    ]

    /// The names of all tests here.
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
        #expect(Self.rocketData.map(\.size).reduce(0, +) == 117 + 4)
    }
}
