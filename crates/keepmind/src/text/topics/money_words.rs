//! Words of income, debts, balances and holdings. A taste in funds or banks is no personal figure.

use super::classes::*;
use crate::text::lexicon::Classes;

const LIKELY: Classes = likely(FINANCE);

pub(super) const MONEY_WORDS: &[(Classes, &str)] = &[
    (
        LIKELY,
        "salary wage hourly_wage wages in_the_red no_savings life_savings savings_of child_benefit \
        housing_benefit disability_benefit* paycheck paychecks paycheque payslip* annual_income monthly_income \
        household_income net_income taxable_income net_worth in_debt debts debt_of deep_in_debt credit_card_debt \
        student_debt student_loan student_loans loan_payments mortgage mortgages overdraft overdrawn bankrupt \
        bankruptcy insolvent insolvency bank_balance account_balance savings_account checking_account \
        credit_score credit_rating credit_limit foreclosure foreclosed repossess* payday_loan* tax_debt \
        back_taxes unemployment_benefit* on_welfare on_benefits food_stamps living_paycheck financial_difficult* \
        financial_trouble* financially_struggling money_troubles gambling_debt* inheritance_of trust_fund \
        alimony child_support brokerage_account stock_portfolio investment_portfolio his_portfolio her_portfolio \
        their_portfolio user_portfolio is_broke crypto_holdings owes_money took_out_a_loan has_a_loan has_loans \
        earns_minimum pension_pot cannot_afford can't_afford",
    ),
    (
        LIKELY,
        "gehalt gehälter jahresgehalt monatsgehalt bruttogehalt nettogehalt lohn monatslohn stundenlohn einkommen \
        nettoeinkommen bruttoeinkommen jahreseinkommen verschuldet überschuldet hat_schulden habe_schulden \
        schulden_bei *schulden kredit_* *kredit dispokredit kontostand kontoüberziehung überzogen insolvent \
        insolvenz* privatinsolvenz pleite schufa* hypothek* bürgergeld kindergeld wohngeld hartz_iv \
        arbeitslosengeld sozialhilfe unterhalt_zahl* vermögen_von ersparnisse erbschaft sparkonto aktiendepot \
        pfändung gerichtsvollzieher verdient_netto verdient_brutto",
    ),
    (
        LIKELY,
        "salaire salaires revenu revenus endetté endettée endettement dettes dette surendettement prêt_immobilier \
        prêt_étudiant crédit_immobilier découvert_bancaire à_découvert solde_bancaire solde_du_compte faillite \
        compte_épargne livret_a épargne rsa allocation_chômage fiche_de_paie gagne_bien salario sueldo nómina \
        ingresos_mensuales ingresos_anuales sus_ingresos endeudad* deuda deudas hipoteca hipotecas préstamo \
        préstamos saldo_bancario saldo_de_su cuenta_de_ahorros bancarrota en_quiebra insolvencia \
        subsidio_de_desempleo",
    ),
    (
        LIKELY,
        "salário salários renda_mensal renda_anual sua_renda dívida dívidas endividad* empréstimo empréstimos \
        financiamento_imobiliário saldo_da_conta falência insolvência poupança holerite stipendio stipendi \
        reddito redditi debito debiti indebitat* un_mutuo il_mutuo mutuo_di prestito prestiti saldo_del_conto \
        fallimento bancarotta pignoramento conto_di_risparmio busta_paga salaris salarissen maandloon inkomen \
        schulden schuldsanering hypotheek lening studieschuld banksaldo spaarrekening failliet loonstrook \
        bijstandsuitkering maaş* geliri gelirim borç* borcu borçlu kredi_borcu kredi_kartı_borcu ipotek* iflas* \
        icra_takib* banka_bakiyesi birikimi",
    ),
    (
        LIKELY,
        "зарплат* оклад оклада доход доходы дохода долг долги долгов долга задолженност* кредит кредиты кредита \
        ипотек* банкрот* баланс_счета остаток_на_счет* сбережени* накоплени* пособи* микрозайм* займ راتب راتبه \
        راتبها راتبي دخل_شهري دخل_سنوي الدخل دخله دخلها ديون دين_بقيمة قرض قروض رهن_عقاري إفلاس مفلس رصيد رصيده \
        رصيدها مدخرات حقوق_ماهانه درآمد بدهی بدهکار وام ورشکست* موجودی_حساب پس_انداز वेतन सैलरी तनख्वाह आमदनी आय \
        कर्ज कर्ज़ ऋण लोन दिवालिया बैंक_बैलेंस बचत_खाता",
    ),
    // Say something together with an amount, or with owning.
    (
        half(FINANCE),
        "salary earn earns earned earning income gets_paid is_paid in_the_bank in_my_account in_her_account \
        in_his_account pension rente pensione saving savings owe owes owed debt loan loans balance invested \
        invest invests investing investments portfolio shares_of shares_in bitcoin bitcoins btc ethereum crypto \
        etf etfs inherited inheritance bonus fortune assets verdient verdiene verdienen gespart spart schuldet \
        schulde schulden aktien fonds depot konto geerbt anlage gagne gagner épargné doit_* investi actions \
        hérité compte gana gano ganar ahorrado ahorros debe_* invertido acciones cuenta cobra cobro ganha ganho \
        poupou deve_* investiu ações conta guadagna guadagno risparmiato deve_alla investito azioni conto \
        verdien spaargeld belegd aandelen schuld rekening kazanıyor kazanıyorum biriktirdi hissesi hisse \
        получает зарабатывает зарабатываю должен должна накопил накопила акции акций счет счете вложил вложила \
        يكسب تكسب يتقاضى تتقاضى مدين مدينة حساب कमाता कमाती कमाता_है कमाते",
    ),
    (
        other_half(FINANCE),
        "unable repay repaying owns holds holdings possesses besitzt hält_anteile possède détient posee possui \
        possiede detiene bezit владеет",
    ),
    // Also said of things that are counted: only a currency makes money of them.
    (
        COUNTING | half(FINANCE),
        "makes make saves saved account stock stocks funds",
    ),
    (
        CURRENCY,
        "euro euros eur usd dollar dollars dollari dólares dólar gbp pound pounds pfund chf franken francs yen \
        jpy yuan rmb cny rupee rupees rupien inr lakh lakhs crore real reais brl peso pesos ruble rubles rubel \
        zloty pln kronen sek nok dkk lira liras lirası tl try рублей рубля руб тысяч долларов евро гривен ريال \
        دولار جنيه درهم دينار يورو تومان रुपये रुपए लाख करोड़ won krw baht thousand million",
    ),
];
