import SwiftSyntax

/// Looks for the changes that can be made in a file whose operators are folded.
final class CandidateFinder: SyntaxVisitor {
    private(set) var candidates: [Candidate] = []
    private let text: [UInt8]
    /// Local names that are declared without a value: the compiler requires their assignments.
    private var unassigned: Set<String> = []

    init(text: [UInt8]) {
        self.text = text
        super.init(viewMode: .sourceAccurate)
    }

    override func visit(_ node: SourceFileSyntax) -> SyntaxVisitorContinueKind {
        let collector = UnassignedNames(viewMode: .sourceAccurate)
        collector.walk(node)
        unassigned = collector.names
        return .visitChildren
    }

    private func range(_ node: some SyntaxProtocol) -> Range<Int> {
        node.positionAfterSkippingLeadingTrivia.utf8Offset..<node.endPositionBeforeTrailingTrivia.utf8Offset
    }

    private func code(_ node: some SyntaxProtocol) -> String { code(range(node)) }

    private func code(_ range: Range<Int>) -> String {
        let code = String(decoding: text[range], as: UTF8.self)
        return code.split { $0 == " " || $0 == "\n" }.joined(separator: " ")
    }

    private func add(_ candidate: Candidate) { candidates.append(candidate) }

    // MARK: Code without changes

    override func visit(_ node: AttributeSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
    override func visit(_ node: IfConfigDeclSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
    override func visit(_ node: MacroExpansionExprSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
    override func visit(_ node: MacroExpansionDeclSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
    // A pattern takes constants only.
    override func visit(_ node: ExpressionPatternSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
    // The raw value of a case is a constant.
    override func visit(_ node: EnumCaseDeclSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
    // The callers of a target that is not mutated would need the switch.
    override func visit(_ node: FunctionParameterSyntax) -> SyntaxVisitorContinueKind { .skipChildren }

    override func visit(_ node: ArrayExprSyntax) -> SyntaxVisitorContinueKind {
        // A table: an expression that the compiler would look at for long.
        node.elements.count > 8 ? .skipChildren : .visitChildren
    }

    /// The value of a constant of a type or a file is a choice, which another value does not make wrong.
    override func visit(_ node: VariableDeclSyntax) -> SyntaxVisitorContinueKind {
        let isShared = node.modifiers.contains { $0.name.tokenKind == .keyword(.static) }
        let isGlobal = node.parent?.parent?.parent?.is(SourceFileSyntax.self) ?? false
        guard isShared || isGlobal else { return .visitChildren }
        for binding in node.bindings {
            if let accessors = binding.accessorBlock { walk(accessors) }
        }
        return .skipChildren
    }

    // MARK: Assertions

    /// Functions and methods that check the program itself, or end it.
    private static let checks: Set<String> = [
        "assert", "assertSound", "assertValid", "assertionFailure", "checkCostlyRules", "checkRules", "fatalError",
        "precondition", "preconditionFailure",
    ]

    private func isCheck(_ call: FunctionCallExprSyntax) -> Bool {
        let method = call.calledExpression.as(MemberAccessExprSyntax.self)?.declName.baseName.text
        return Self.checks.contains(method ?? code(call.calledExpression))
    }

    /// Whether a condition asks whether this build has assertions: the code behind it exists for them alone.
    private func asksForAssertions(_ condition: some SyntaxProtocol) -> Bool {
        code(condition).hasPrefix("Assertions.")
    }

    override func visit(_ node: IfExprSyntax) -> SyntaxVisitorContinueKind {
        guard node.conditions.contains(where: { asksForAssertions($0) }) else { return .visitChildren }
        switch node.elseBody {
        case .ifExpr(let next)?: walk(next)
        case .codeBlock(let block)?: walk(block)
        case nil: break
        }
        return .skipChildren
    }

    override func visit(_ node: CodeBlockItemListSyntax) -> SyntaxVisitorContinueKind {
        guard node.contains(where: { endsWithoutAssertions($0) }) else { return .visitChildren }
        for item in node.prefix(while: { !endsWithoutAssertions($0) }) { walk(item) }
        return .skipChildren
    }

    /// Whether a statement leaves its block where there are no assertions.
    private func endsWithoutAssertions(_ item: CodeBlockItemSyntax) -> Bool {
        guard case .stmt(let statement) = item.item, let node = statement.as(GuardStmtSyntax.self) else { return false }
        return node.conditions.contains { asksForAssertions($0) }
    }

    override func visit(_ node: FunctionCallExprSyntax) -> SyntaxVisitorContinueKind {
        isCheck(node) ? .skipChildren : .visitChildren
    }

    // MARK: Conditions

    private func negate(_ condition: ExprSyntax) {
        // The opposite of such a comparison is its neighbour, and the opposite of a constant is no program.
        if let infix = condition.as(InfixOperatorExprSyntax.self), ["==", "!="].contains(code(infix.operator)) {
            return
        }
        if condition.is(BooleanLiteralExprSyntax.self) || condition.is(MissingExprSyntax.self) { return }
        if asksForAssertions(condition) { return }
        let code = code(condition)
        add(.flip(.condition, range(condition), before: code, after: "!(\(code))"))
    }

    override func visitPost(_ node: ConditionElementSyntax) {
        if case .expression(let condition) = node.condition { negate(condition) }
    }

    override func visitPost(_ node: TernaryExprSyntax) { negate(node.condition) }
    override func visitPost(_ node: RepeatStmtSyntax) { negate(node.condition) }
    override func visitPost(_ node: WhereClauseSyntax) { negate(node.condition) }

    // MARK: Operators

    override func visitPost(_ node: InfixOperatorExprSyntax) {
        let sign = code(node.operator)
        let whole = code(node)
        let (left, right) = (code(node.leftOperand), code(node.rightOperand))
        switch sign {
        case "==", "!=":
            let other = sign == "==" ? "!=" : "=="
            add(.flip(.comparison, range(node), before: whole, after: "\(left) \(other) \(right)"))
        case "<", "<=", ">", ">=":
            // Both sides are there twice, so they are short, and a line stays a line.
            let bytes = text[range(node)]
            guard !bytes.contains(UInt8(ascii: "\n")), !bytes.contains(UInt8(ascii: "{")) else { return }
            let other = sign.hasSuffix("=") ? String(sign.prefix(1)) : sign + "="
            let mutated: [Candidate.Part] = [
                .source(range(node.leftOperand)), .text(" \(other) "), .source(range(node.rightOperand)),
            ]
            let after = "\(left) \(other) \(right)"
            add(.choice(.comparison, range(node), mutated: mutated, before: whole, after: after))
        case "&&", "||":
            // The sign stays in its line.
            let gap = range(node.leftOperand).upperBound..<range(node.rightOperand).lowerBound
            let around = String(decoding: text[gap], as: UTF8.self)
            guard !around.contains("//"), !around.contains("/*") else { return }
            let breaks = around.split(separator: sign, omittingEmptySubsequences: false).map { $0.contains("\n") }
            guard breaks.count == 2 else { return }
            let connective = (breaks[0] ? "\n" : "") + sign + (breaks[1] ? "\n" : "")
            let after = "\(left) \(sign == "&&" ? "||" : "&&") \(right)"
            add(.exchange(range(node.leftOperand), connective, range(node.rightOperand), before: whole, after: after))
        default: break
        }
    }

    // MARK: Numbers

    override func visitPost(_ node: IntegerLiteralExprSyntax) {
        guard let value = Self.value(of: node.literal.text) else { return }
        var others: [UInt64] = []
        if value < .max { others.append(value + 1) }
        if value > 0 { others.append(value - 1) }
        for other in others {
            let mutated: [Candidate.Part] = [.text("\(other)")]
            add(.choice(.number, range(node), mutated: mutated, before: node.literal.text, after: "\(other)"))
        }
    }

    private static func value(of literal: String) -> UInt64? {
        let digits = literal.filter { $0 != "_" }
        for (prefix, radix) in [("0x", 16), ("0b", 2), ("0o", 8)] where digits.hasPrefix(prefix) {
            return UInt64(digits.dropFirst(2), radix: radix)
        }
        return UInt64(digits)
    }

    // MARK: Statements

    override func visitPost(_ node: CodeBlockItemSyntax) {
        guard case .expr(let expression) = node.item, !(node.parent?.parent?.is(SourceFileSyntax.self) ?? false) else {
            return
        }
        let bare = Self.withoutMarks(expression)
        if let call = bare.as(FunctionCallExprSyntax.self) {
            if isCheck(call) || ImplicitResult.isCall(node) { return }
            // The other initialiser sets the properties.
            let called = code(call.calledExpression)
            if called == "self.init" || called == "super.init" { return }
        } else if let infix = bare.as(InfixOperatorExprSyntax.self) {
            guard isAssignment(infix), ImplicitResult.isVoid(node) else { return }
            if infix.operator.is(AssignmentExprSyntax.self) {
                let name = infix.leftOperand.as(DeclReferenceExprSyntax.self)?.baseName.text
                if let name, unassigned.contains(name) { return }
                // An initialiser has to set its properties.
                if Self.isInInitializer(node) { return }
            }
        } else {
            return
        }
        add(.drop(range(expression), before: code(expression)))
    }

    private func isAssignment(_ infix: InfixOperatorExprSyntax) -> Bool {
        if infix.operator.is(AssignmentExprSyntax.self) { return true }
        let sign = code(infix.operator)
        return sign.hasSuffix("=") && !["==", "!=", "<=", ">=", "===", "!==", "~="].contains(sign)
    }

    /// An expression without `try` and `await`.
    private static func withoutMarks(_ expression: ExprSyntax) -> ExprSyntax {
        if let node = expression.as(TryExprSyntax.self) { return withoutMarks(node.expression) }
        if let node = expression.as(AwaitExprSyntax.self) { return withoutMarks(node.expression) }
        return expression
    }

    private static func isInInitializer(_ node: some SyntaxProtocol) -> Bool {
        var parent = node.parent
        while let inner = parent {
            if inner.is(InitializerDeclSyntax.self) { return true }
            if inner.is(FunctionDeclSyntax.self) || inner.is(ClosureExprSyntax.self) { return false }
            parent = inner.parent
        }
        return false
    }
}

/// Collects the names of local variables without a value.
private final class UnassignedNames: SyntaxVisitor {
    private(set) var names: Set<String> = []

    override func visitPost(_ node: VariableDeclSyntax) {
        guard node.parent?.is(CodeBlockItemSyntax.self) ?? false else { return }
        for binding in node.bindings where binding.initializer == nil && binding.accessorBlock == nil {
            if let name = binding.pattern.as(IdentifierPatternSyntax.self) { names.insert(name.identifier.text) }
        }
    }
}
