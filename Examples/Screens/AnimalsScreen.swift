// Type-checked against stubs of SwiftUI, never run.
#if canImport(SwiftUI)
import Cofferdam
import CofferdamState
import CofferdamStore
import SwiftUI

/// A model of the app's own.
struct Animal: StoreModel {
    var id: Int
    var name: String
    var isFavourite = false
}

/// Shows one of five things of a loadable, with a delay before the spinner.
struct LoadableView<Contents: Sendable, Content: View>: View {
    private let observed: Observed<LoadableSnapshot<Contents>>
    private let content: (Contents) -> Content
    private let retry: @MainActor () -> Void
    @State private var delay = SpinnerDelay<ContinuousClock.Instant>(.milliseconds(300))
    @State private var showsSpinner = false

    /// - Parameter retry: tries again after a failure.
    init(
        _ observed: Observed<LoadableSnapshot<Contents>>,
        @ViewBuilder content: @escaping (Contents) -> Content,
        retry: @escaping @MainActor () -> Void
    ) {
        self.observed = observed
        self.content = content
        self.retry = retry
    }

    var body: some View {
        let phase = LoadablePhase(observed.value, showsSpinner: showsSpinner)
        ZStack {
            // In one place for all phases, so that a list keeps where it was scrolled to.
            if let contents = phase.contents { content(contents) }
            switch phase {
            case .nothing, .contents: EmptyView()
            case .loading, .refreshing: ProgressView()
            case .failed(_, nil): Button("Not loaded. Try again", action: retry)
            case .failed: Button("This may be out of date. Try again", action: retry)
            }
        }
        // Runs again, and cancels its wait, whenever the state changes.
        .task(id: observed.value.state) {
            delay.note(observed.value.state, at: .now)
            if let end = delay.end { try? await Task.sleep(until: end, clock: .continuous) }
            showsSpinner = delay.isOver(at: .now)
        }
    }
}

/// What the screen of animals follows. The part of the app that shows the screen keeps one, in a `@State` or in its own
/// model: an initialiser of a view runs each time that the view around it is drawn.
@MainActor final class AnimalsModel {
    let list: StoreList<Animal>
    let animals: Observed<LoadableSnapshot<[Animal]>>

    init(_ list: StoreList<Animal>) {
        self.list = list
        animals = Observed(list)
    }
}

struct AnimalsScreen: View {
    let model: AnimalsModel

    var body: some View {
        LoadableView(model.animals) { animals in
            List(animals) { animal in Text(animal.isFavourite ? "★ \(animal.name)" : animal.name) }
        } retry: {
            Task { await model.list.loadable.sync() }
        }
        .task { await model.list.loadable.syncIfNeeded() }
        .refreshable { await model.list.loadable.sync() }
        .navigationTitle("Animals")
    }
}

/// One animal, in a provider of the screen's own. Its changes show on every screen that has this animal.
@MainActor final class AnimalModel {
    let provider: DataProvider<Animal>
    let animal: Observed<Animal?>

    init(_ id: Animal.ID, in store: Store) {
        provider = DataProvider(id: id, in: store)
        animal = Observed(provider)
    }

    func toggleFavourite() {
        // Not `animal.value`: the provider knows of a change before the screen does.
        guard var changed = provider.data else { return }
        changed.isFavourite.toggle()
        provider.set(changed)
    }
}

struct AnimalScreen: View {
    let model: AnimalModel

    var body: some View {
        if let animal = model.animal.value {
            Text(animal.name)
            Button(animal.isFavourite ? "No favourite any more" : "Make it a favourite") { model.toggleFavourite() }
        } else {
            Text("This animal is gone.")
        }
    }
}
#endif
