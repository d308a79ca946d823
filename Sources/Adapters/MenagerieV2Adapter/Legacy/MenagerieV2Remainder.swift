public import Cofferdam  // what is told are issues
import MenagerieV2
import SanctuaryDomain

/// What V2 keeps in a directory and V1 will not take over: to be told before V1 answers there again. Only files are looked at.
public func menagerieV2Remainder(in directory: String) async -> [TranslationIssue] {
    let store = SessionStore(directory: directory)
    do {
        guard let session = try await store.load(), !session.isAnonymous,
            !LegacyArchive(directory: directory).isOf(session.account.id)
        else { return [] }
        let what = "V1 does not know this session: its user signs in anew, or goes on when V2 is back"
        return [TranslationIssue(what, at: "session", raw: session.account.id, severity: .warning)]
    } catch {
        return [
            TranslationIssue("it cannot be read now, and stays with V2", at: store.path, raw: "", severity: .warning)
        ]
    }
}
