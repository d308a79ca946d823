#if Staged
    import CofferdamUpgrade
    import SanctuaryDomain

    extension LinkedSDK {
        /// Both SDKs are linked, and the stage of the upgrade says which of them is opened, which answers, and which is asked in
        /// the shadow: see ``StagedSanctuary``.
        ///
        /// The stage is that of the variable `COFFERDAM_STAGE`, if it is set; else what stands in the directory that
        /// `COFFERDAM_UPGRADE_STATE` names, as `vendorctl upgrade` keeps it there; else `legacyOnly`.
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
            let upgrade: StagedUpgrade
            if !isSet, let directory = environment["COFFERDAM_UPGRADE_STATE"], !directory.isEmpty {
                upgrade = try await StagedUpgrade(in: directory, configuration)
            } else {
                upgrade = StagedUpgrade(at: stage)
            }
            return try await StagedSanctuary(at: url, configuration, upgrade).services()
        }
    }
#endif
