import Mutating

/// The forms of a file with one mutant each: the code in which the mutant stands.
struct Forms {
    private let file: SourceFile

    init(_ source: String) {
        file = SourceFile(source)
    }

    /// All changes, as "kind: before -> after".
    var changes: [String] { file.candidates.map { "\($0.kind.rawValue): \($0.before) -> \($0.after)" } }

    /// The file with the changes of a kind, numbered from 1.
    func instrumented(_ kinds: MutationOperator...) -> String {
        let candidates = file.candidates.filter { kinds.contains($0.kind) }
        return file.instrumented(with: candidates.enumerated().map { ($0.offset + 1, $0.element) })
    }
}
