#if Sandbox
import Foundation
import Testing

/// Checks that the page for users of MMMLoadable covers every call, and names only calls that exist.
@Suite("OldAndNew")
struct OldAndNewTests {
    @Test("Each public operation of the loadables' ancestors has its row")
    func rows() throws {
        let left = try Self.rows().map(\.old)
        for name in Self.operations {
            #expect(left.contains { $0.contains("`\(name)") || $0.contains(".\(name)`") }, "no row for \(name)")
        }
        #expect(try Self.rows().allSatisfy { !$0.new.isEmpty })
    }

    @Test("Each symbol that the page names is declared in CofferdamState, and is public")
    func symbols() throws {
        let links = try Self.links()
        try #require(links.count > 40)
        let declared = try PublicDeclarations()
        for link in links { #expect(declared.contains(link), "\(link) is no public declaration") }
        for spoilt in ["Loadable/fetchSoon()", "LoadableBox", "Loadable/observe(isActive:)", "Loadable/post(_:)"] {
            #expect(!declared.contains(spoilt))
        }
    }

    private static func page() throws -> String {
        let path = "Sources/Kit/State/CofferdamState/CofferdamState.docc/ComingFromMMMLoadable.md"
        return try String(contentsOf: House.root.appending(path: path), encoding: .utf8)
    }

    private static func rows() throws -> [(old: String, new: String)] {
        try page().split(separator: "\n").filter { $0.hasPrefix("| ") }.map { line in
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            return (cells.first ?? "", cells.count > 1 ? cells[1] : "")
        }
    }

    private static func links() throws -> Set<String> {
        Set(try page().matches(of: /``([^`]+)``/).map { String($0.output.1) })
    }

    /// Types, members and cases of MMMLoadable 2.2 and MMMAsyncLoadable 0.4.
    private static let operations = """
        MMMLoadableState idle syncing didSyncSuccessfully didFailToSync loadableState error isContentsAvailable sync()
        needsSync syncIfNeeded() setSyncing() setDidSyncSuccessfully() setFailedToSyncWithError(_:) notifyDidChange()
        observerHub hasObservers didAddFirstObserver() didRemoveLastObserver() doSync() concurrency mainThread
        mainThreadExceptInit custom MMM_CONTENTS description debugDescription MMMPureLoadableProtocol
        MMMLoadableProtocol MMMPureLoadable MMMLoadableObserverProtocol loadableDidChange(_:) addObserver
        removeObserver MMMLoadableObserver remove() sink(_:) MMMPureLoadableGroup MMMLoadableGroup all any
        failurePolicy strict never loadables groupDidChange() MMMLoadableChain proceed fail completeSuccessfully
        MMMPureLoadableProxy MMMLoadableProxy loadable proxyDidChange() AnyPureLoadable AnyLoadable MMMLoadableSyncer
        syncIfNeeded MMMTimeoutPolicy nextTimeout(afterFailure:) reset() MMMBackoffTimeoutPolicy MMMTimeSource
        MMMLoadableWaiter wait didSyncSuccessfully timedOut MMMSimpleLoadableWaiter whenDoneSyncing cancel()
        doneSyncing() contentsAfterDoneSyncing(_:) MMMAutosyncLoadable MMMLoadableImage MMMNamedLoadableImage
        MMMImmediateLoadableImage MMMPublicLoadableImage MMMLoadableImageProxy MMMFilteredLoadableImage
        MMMTestLoadableImage MMMTestLoadable setIdle() setDidFailToSync(WithError:) resetAllCallCounters
        AsyncLoadableProtocol AsyncLoadable content setDidSyncSuccessfullyWithContent(_:) fetch() fetchIfNeeded()
        AsyncError lostParent invalidData unknownError map asyncMap flatMap joined AsyncLoadableObserver
        AsyncLoadableStream iterator bufferingPolicy AsyncLoadableStreamObject finish() ObserverHub MMMObserverHub
        SimpleEvent coalescingNotifications LazySimpleEvent SimpleEventProxy SimpleEventGroupObserver
        CoalescingCallback SimpleMailbox
        """.split(whereSeparator: \.isWhitespace)
}

/// The public declarations of CofferdamState's sources, as symbol links name them.
private struct PublicDeclarations {
    private var types: Set<String> = []
    private var members: Set<String> = []

    init() throws {
        for file in try House.swiftFiles(below: ["Sources/Kit/State/CofferdamState"]) {
            // The type is ignored, because a member may be in an extension.
            for match in file.text.matches(of: /public (?:final )?(?:struct|class|enum|protocol|actor) (\w+)/) {
                types.insert(String(match.output.1))
            }
            for match in file.text.matches(of: /public (?:static )?(?:internal\(set\) )?(?:var|let) (\w+)/) {
                members.insert(String(match.output.1))
            }
            for match in file.text.matches(of: /public (?:static )?(?:consuming )?func (\w+)(?:<[^(]*>)?\(/) {
                members.insert("\(match.output.1)(\(Self.labels(after: file.text[match.range.upperBound...])))")
            }
        }
    }

    func contains(_ link: String) -> Bool {
        let parts = link.split(separator: "/").map(String.init)
        guard let type = parts.first, types.contains(type) else { return false }
        return parts.dropFirst().allSatisfy(members.contains)
    }

    /// Returns "for:within:" for "for goal: Goal, within limit: Duration? = nil)".
    private static func labels(after parenthesis: Substring) -> String {
        var labels = ""
        var (depth, word, isName) = (0, "", true)
        for character in parenthesis {
            switch character {
            case "(", "[", "{", "<": depth += 1
            case ")" where depth == 0: return labels
            case ")", "]", "}", ">": depth = max(0, depth - 1)
            case ",": if depth == 0 { (word, isName) = ("", true) }
            case ":" where depth == 0 && isName:
                labels += "\(word.split(whereSeparator: \.isWhitespace).first ?? ""):"
                isName = false
            default: if isName { word.append(character) }
            }
        }
        return labels
    }
}
#endif
