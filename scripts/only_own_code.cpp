// Loaded into clang-tidy by scripts/lint.sh: its checks then look at what the project declares, not at what the headers
// of the system do, in which nothing is reported anyway.
#include <clang/AST/ASTConsumer.h>
#include <clang/AST/ASTContext.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Frontend/FrontendPluginRegistry.h>

namespace {

class NarrowScope : public clang::ASTConsumer {
  void HandleTranslationUnit(clang::ASTContext& context) override {
    std::vector<clang::Decl*> own;
    for (clang::Decl* declaration : context.getTranslationUnitDecl()->decls())
      if (!context.getSourceManager().isInSystemHeader(declaration->getLocation())) own.push_back(declaration);
    context.setTraversalScope(own);
  }
};

class OnlyOwnCode : public clang::PluginASTAction {
  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance&, llvm::StringRef) override {
    return std::make_unique<NarrowScope>();
  }
  bool ParseArgs(const clang::CompilerInstance&, const std::vector<std::string>&) override { return true; }
  ActionType getActionType() override { return AddBeforeMainAction; }
};

const clang::FrontendPluginRegistry::Add<OnlyOwnCode> kOnlyOwnCode("only-own-code",
                                                                   "leaves out the headers of the system");

}  // namespace
