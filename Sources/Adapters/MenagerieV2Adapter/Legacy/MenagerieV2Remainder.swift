#if Sandbox
public import Cofferdam  // returns issues
import MenagerieV2
import SanctuaryDomain

/// Returns what V2 keeps in a directory and V1 will not take over, to report before V1 answers there again. It only
/// reads files.
public func menagerieV2Remainder(in directory: String) async -> [TranslationIssue] {
    let store = SessionStore(directory: directory)
    do {
        guard let session = try await store.load(), !session.isAnonymous,
            !LegacyArchive(directory: directory).belongs(to: session.account.id)
        else { return [] }
        let what = "V1 does not know this session: its user has to sign in again, or continues when V2 is back"
        return [TranslationIssue(what, at: "session", raw: session.account.id, severity: .warning)]
    } catch {
        return [
            TranslationIssue("it cannot be read now, and stays with V2", at: store.path, raw: "", severity: .warning)
        ]
    }
}
#endif
