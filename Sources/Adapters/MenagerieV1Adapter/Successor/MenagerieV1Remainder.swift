#if Sandbox
public import Cofferdam  // returns issues
import Foundation
import SanctuaryDomain

/// Returns what V1 keeps in a directory and V2 will not take over, to report before V2 opens there. It only reads
/// files.
public func menagerieV1Remainder(in directory: String) -> [TranslationIssue] {
    var remainder: [TranslationIssue] = []
    func add(_ what: String, at path: String, _ raw: String = "", _ severity: TranslationIssue.Severity = .warning) {
        remainder.append(TranslationIssue(what, at: path, raw: raw, severity: severity))
    }
    do throws(SanctuaryError) {
        for order in try OrderJournal(directory: directory).open() {
            add("it is unknown whether it was placed, and V2 does not know its key", at: "order", order.key)
        }
    } catch {
        add(error.message, at: error.subject ?? directory)
    }
    for name in ["session", "outbox"] {
        let file = StoredFile(directory + "/menagerie." + name)
        if file.isThere, !file.isReadable { add("it cannot be read now, and stays with V1", at: file.path) }
    }
    if StoredFile(directory + "/menagerie.accessories").isThere {
        add("V2 has no nicknames for them", at: "accessories", "", .info)
    }
    return remainder
}

private struct StoredFile {
    let path: String

    init(_ path: String) { self.path = path }

    var isThere: Bool { FileManager.default.fileExists(atPath: path) }

    var isReadable: Bool {
        do {
            _ = try Data(contentsOf: URL(fileURLWithPath: path))
            return true
        } catch {
            return false
        }
    }
}
#endif
