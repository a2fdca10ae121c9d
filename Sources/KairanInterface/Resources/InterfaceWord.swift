/// A word of the interface from a list that a later daemon may extend.
///
/// A word that this version of the library does not know is kept as it is:
///
/// ```swift
/// switch message.state {
/// case .waiting: show(message)
/// case .failed: showProblem(of: message)
/// default: break
/// }
/// ```
public protocol InterfaceWord: RawRepresentable, Hashable, Sendable, Codable, CustomStringConvertible
where RawValue == String {
    /// The words that this version of the library knows, in the order of the interface's description.
    static var known: [Self] { get }

    /// Names a word, which need not be a known one.
    init(rawValue: String)
}

extension InterfaceWord {
    /// The word.
    public var description: String { rawValue }
}
