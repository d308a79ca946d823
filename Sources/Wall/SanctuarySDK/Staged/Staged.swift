#if Staged
    import CofferdamUpgrade
    import SanctuaryDomain

    extension LinkedSDK {
        /// Both SDKs are linked, and the stage of the upgrade says which of them is opened, which answers, and which is asked in
        /// the shadow: see ``StagedSanctuary``.
        static func services(at url: String, _ configuration: SDKConfiguration) async throws -> SanctuaryServices {
            let state: StageState
            do {
                state = try await stageState(configuration.environment)
            } catch let error as StageError {
                throw SanctuaryError(.invalidRequest, error.message, subject: error.subject)
            } catch let error as UpgradeStoreError {
                throw SanctuaryError(.unavailable, error.message, subject: error.subject)
            }
            return try await StagedSanctuary(at: url, configuration, state: state).services()
        }

        /// By the variable `COFFERDAM_STAGE`, if it is set; else what stands in the directory that `COFFERDAM_UPGRADE_STATE`
        /// names, as `vendorctl upgrade` keeps it there; else `legacyOnly`.
        private static func stageState(_ environment: [String: String]) async throws -> StageState {
            let source = EnvironmentStageSource(read: { environment[$0] })
            let stage = try await source.stage()
            let isSet = environment[source.variable]?.isEmpty == false
            guard !isSet, let directory = environment["COFFERDAM_UPGRADE_STATE"], !directory.isEmpty else {
                return StageState(stage: stage)
            }
            let stored = try await FileUpgradeStore(directory: directory).read(StagedSanctuary.capability)
            return stored?.routing ?? StageState()
        }
    }
#endif
