#if Staged
import CofferdamUpgrade
import SanctuaryDomain

extension LinkedSDK {
    /// Links both SDKs. The upgrade's stage decides which of them is opened, which answers, and which is called as
    /// the shadow: see ``StagedSanctuary``.
    ///
    /// The stage comes from the variable `COFFERDAM_STAGE`, if it is set; otherwise from the server in
    /// `COFFERDAM_SERVER`, or from the directory in `COFFERDAM_UPGRADE_STATE`, which `vendorctl upgrade` maintains;
    /// otherwise it is `legacyOnly`.
    static func services(at url: String, _ configuration: SDKConfiguration) async throws -> SanctuaryServices {
        let environment = configuration.environment
        let source = EnvironmentStageSource(read: { environment[$0] })
        let stage: Stage
        do {
            stage = try await source.stage()
        } catch let error as StageError {
            throw SanctuaryError(.invalidRequest, error.message, subject: error.subject)
        }
        let isSet = environment[source.variable]?.isEmpty == false
        let place = isSet ? nil : try UpgradePlace(configuration)
        return try await StagedSanctuary(at: url, configuration, place, stage).services()
    }
}
#endif
