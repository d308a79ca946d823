import Cofferdam
import CofferdamContracts
import CofferdamUpgrade

/// The scenarios' reports as one page that needs nothing else.
struct ScenarioPage {
    let reports: [ScenarioReport]
    init(_ reports: [ScenarioReport]) { self.reports = reports }
    func html() -> String { "" }
}
